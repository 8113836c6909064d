// What Redis runs as one step each. The keys of a session begin with `patchbay:`; Redis Cluster is not meant, because an owner's
// lease and the index of sessions stand beside the session.

/** All ids, in order. */
export const indexKey = 'patchbay:sessions';
/**
 * Fields: last, born. Counts owners of all sessions from the time in ms at which Redis was empty (`born`): a session that was
 * removed and made again has a higher fence too, and a fence up to `born` is of a Redis that has forgotten everything.
 */
const fenceKey = 'patchbay:fences';
/** The key that gets an entry when a gateway has more to read. */
export const wakeKey = (owner: string): string => `patchbay:wake:${owner}`;

/** A name in Redis for any string. JSON escapes what UTF-8 cannot say. */
export const nameOf = (session: string): string => JSON.stringify(session).slice(1, -1);

/** The string of a name. */
export const sessionOf = (name: string): string => JSON.parse(`"${name}"`) as string;

/**
 * Fields: fence, owner, place, head, headVersion, snapshotPlace, gap (place of the snapshot behind the latest gap), fenceBefore and
 * claimedAt (the fence before this one, and the place behind which this one goes on).
 */
export const factsKey = (session: string): string => `patchbay:session:${nameOf(session)}`;
/**
 * A stream; the record `place` has the id `0-<place>` and the fields r (the record) and f (its fence). The entry of the latest
 * snapshot's place stays, so that readers who lag notice what they have not read; it has no r if the record never came. An entry
 * with x: the session was removed.
 */
export const recordsKey = (session: string): string => `${factsKey(session)}:records`;
/** The place in the id of an entry. */
export const placeOf = (id: string): number => Number(id.slice(id.indexOf('-') + 1));
/** The latest snapshot, as JSON. */
export const snapshotKey = (session: string): string => `${factsKey(session)}:snapshot`;
/** The lease of a gateway; the value is its address. A gateway renews one lease for all of its sessions. */
export const leaseKey = (owner: string): string => `patchbay:owner:${owner}`;

/** The keys of a session in the order in which the scripts expect them. */
export const keysOf = (session: string): [string, string, string, string, string] => [
  factsKey(session),
  recordsKey(session),
  snapshotKey(session),
  indexKey,
  fenceKey,
];

/** What a batch came to. `gap`: the batch begins behind the next place. `forgotten`: Redis has come back empty. */
export const batchStatus = { taken: 0, fenced: 1, gap: 2, forgotten: 3 } as const;

const ifOwner = `
local facts = redis.call('HMGET', KEYS[1], 'fence', 'owner', 'place', 'headVersion', 'snapshotPlace')
local isOwner = facts[1] == ARGV[1] and facts[2] == ARGV[2]`;

/** A fence above all that were. */
const nextFence = `
local function nextFence(above)
  local last = tonumber(redis.call('HGET', KEYS[5], 'last') or 0)
  if last == 0 then
    local time = redis.call('TIME')
    last = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    redis.call('HSET', KEYS[5], 'born', string.format('%.0f', last))
  end
  last = math.max(last, above) + 1
  redis.call('HSET', KEYS[5], 'last', string.format('%.0f', last))
  return last
end`;

/** Whether Redis knows nothing of a session because it has come back empty since a fence was given. */
const isForgotten = (fence: string) =>
  `not facts[1] and tonumber(redis.call('HGET', KEYS[5], 'born') or ${fence}) >= tonumber(${fence})`;

/**
 * A batch. ARGV: fence, owner, first place, head or '', version of the head, snapshot or '', its place, 1 for a gap, records.
 * Returns the status and the last place. Late and repeated batches change nothing: what is there already is dropped, and an
 * older head or snapshot does not replace a newer one.
 */
const append = `${ifOwner}
if ${isForgotten('ARGV[1]')} then return {3, 0} end
if not isOwner then return {1, 0} end
local place = tonumber(facts[3])
local first = tonumber(ARGV[3])
if #ARGV > 8 and first > place + 1 then return {2, place} end
for at = math.max(9, 9 + place + 1 - first), #ARGV do
  place = first + at - 9
  redis.call('XADD', KEYS[2], string.format('0-%.0f', place), 'r', ARGV[at], 'f', ARGV[1])
end
if ARGV[6] ~= '' and tonumber(ARGV[7]) > tonumber(facts[5]) then
  redis.call('SET', KEYS[3], ARGV[6])
  redis.call('HSET', KEYS[1], 'snapshotPlace', ARGV[7])
  if ARGV[8] == '1' then redis.call('HSET', KEYS[1], 'gap', ARGV[7]) end
  if tonumber(ARGV[7]) > place then redis.call('XADD', KEYS[2], '0-' .. ARGV[7], 'f', ARGV[1]) end
  redis.call('XTRIM', KEYS[2], 'MINID', '0-' .. ARGV[7])
  place = math.max(place, tonumber(ARGV[7]))
end
redis.call('HSET', KEYS[1], 'place', string.format('%.0f', place))
if ARGV[4] ~= '' and tonumber(ARGV[5]) > tonumber(facts[4]) then
  redis.call('HSET', KEYS[1], 'head', ARGV[4], 'headVersion', ARGV[5])
end
return {0, place}`;

/** ARGV: owner, head, name. Returns the fence, or 0 if the session exists. A repeated call returns the same fence. */
const create = `${nextFence}
local facts = redis.call('HMGET', KEYS[1], 'fence', 'owner')
if facts[1] and facts[2] == ARGV[1] then return tonumber(facts[1]) end
if facts[1] then return 0 end
local fence = nextFence(0)
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'fence', string.format('%.0f', fence), 'owner', ARGV[1], 'place', 0, 'head', ARGV[2], 'headVersion', 0, 'snapshotPlace', 0)
redis.call('ZADD', KEYS[4], 0, ARGV[3])
return fence`;

/** ARGV: owner, prefix of leases. Returns the fence, 0 while another owner's lease lasts, or -1 if there is no such session. */
const claim = `${nextFence}
local facts = redis.call('HMGET', KEYS[1], 'owner', 'fence', 'place')
local owner = facts[1]
if not owner then return -1 end
if owner ~= '' and owner ~= ARGV[1] and redis.call('EXISTS', ARGV[2] .. owner) == 1 then return 0 end
local fence = nextFence(0)
redis.call('HSET', KEYS[1], 'fence', string.format('%.0f', fence), 'owner', ARGV[1], 'headVersion', 0)
redis.call('HSET', KEYS[1], 'fenceBefore', facts[2], 'claimedAt', facts[3])
return fence`;

/**
 * Makes a session that Redis has forgotten again. ARGV: fence of before, owner, head, version of the head, snapshot, its place,
 * name. Returns the fence, or 0 if somebody else has made a session with this id, or has removed it. A repeated call returns
 * the same fence.
 */
const remake = `${nextFence}${ifOwner}
if facts[1] and facts[2] == ARGV[2] then return tonumber(facts[1]) end
if facts[1] or not (${isForgotten('ARGV[1]')}) then return 0 end
local fence = string.format('%.0f', nextFence(tonumber(ARGV[1])))
redis.call('DEL', KEYS[2])
redis.call('SET', KEYS[3], ARGV[5])
redis.call('HSET', KEYS[1], 'fence', fence, 'owner', ARGV[2], 'place', ARGV[6], 'head', ARGV[3], 'headVersion', ARGV[4])
redis.call('HSET', KEYS[1], 'snapshotPlace', ARGV[6], 'fenceBefore', ARGV[1], 'claimedAt', ARGV[6])
if tonumber(ARGV[6]) > 0 then redis.call('XADD', KEYS[2], '0-' .. ARGV[6], 'f', fence) end
redis.call('ZADD', KEYS[4], 0, ARGV[7])
return tonumber(fence)`;

/** ARGV: fence, owner. */
const release = `${ifOwner}
if isOwner then redis.call('HSET', KEYS[1], 'owner', '') end
return 0`;

/** ARGV: fence, owner, name. Returns 0 if another gateway has the session. */
const remove = `${ifOwner}
if facts[1] and not isOwner then return 0 end
if isOwner then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('ZREM', KEYS[4], ARGV[3])
  redis.call('XADD', KEYS[2], string.format('0-%.0f', tonumber(facts[3]) + 1), 'x', '1')
  redis.call('PEXPIRE', KEYS[2], 60000)
end
return 1`;

/** ARGV: address, ms. Returns whether the lease had lasted until now. */
const renew = `
local had = redis.call('EXISTS', KEYS[1])
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return had`;

/** The scripts by name, with their number of keys. */
export const scripts = {
  append: { numberOfKeys: 5, lua: append },
  create: { numberOfKeys: 5, lua: create },
  claim: { numberOfKeys: 5, lua: claim },
  remake: { numberOfKeys: 5, lua: remake },
  release: { numberOfKeys: 5, lua: release },
  remove: { numberOfKeys: 5, lua: remove },
  renew: { numberOfKeys: 1, lua: renew },
} as const;
