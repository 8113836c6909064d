// What Redis runs as one step each. The keys of a session begin with `patchbay:`; Redis Cluster is not meant, because an owner's
// lease and the index of sessions stand beside the session.

/** All ids, in order. */
export const indexKey = 'patchbay:sessions';
/** Counts owners of all sessions: a session that was removed and made again has a higher fence too. */
const fenceKey = 'patchbay:fence';

/** A name in Redis for any string. JSON escapes what UTF-8 cannot say. */
export const nameOf = (session: string): string => JSON.stringify(session).slice(1, -1);

/** The string of a name. */
export const sessionOf = (name: string): string => JSON.parse(`"${name}"`) as string;

/** Fields: fence, owner, place, head, headVersion, snapshotPlace, gap (place of the snapshot behind the latest gap). */
export const factsKey = (session: string): string => `patchbay:session:${nameOf(session)}`;
/** A stream; the record `place` has the id `0-<place>`. */
export const recordsKey = (session: string): string => `${factsKey(session)}:records`;
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

/** What a batch came to. `gap`: the batch begins behind the next place. */
export const batchStatus = { taken: 0, fenced: 1, gap: 2 } as const;

const ifOwner = `
local facts = redis.call('HMGET', KEYS[1], 'fence', 'owner', 'place', 'headVersion', 'snapshotPlace')
local isOwner = facts[1] == ARGV[1] and facts[2] == ARGV[2]`;

/**
 * A batch. ARGV: fence, owner, first place, head or '', version of the head, snapshot or '', its place, 1 for a gap, records.
 * Returns the status and the last place. Late and repeated batches change nothing: what is there already is dropped, and an
 * older head or snapshot does not replace a newer one.
 */
const append = `${ifOwner}
if not isOwner then return {1, 0} end
local place = tonumber(facts[3])
local first = tonumber(ARGV[3])
if #ARGV > 8 and first > place + 1 then return {2, place} end
for at = math.max(9, 9 + place + 1 - first), #ARGV do
  place = first + at - 9
  redis.call('XADD', KEYS[2], string.format('0-%.0f', place), 'r', ARGV[at])
end
if ARGV[6] ~= '' and tonumber(ARGV[7]) > tonumber(facts[5]) then
  redis.call('SET', KEYS[3], ARGV[6])
  redis.call('HSET', KEYS[1], 'snapshotPlace', ARGV[7])
  if ARGV[8] == '1' then redis.call('HSET', KEYS[1], 'gap', ARGV[7]) end
  redis.call('XTRIM', KEYS[2], 'MINID', string.format('0-%.0f', tonumber(ARGV[7]) + 1))
  place = math.max(place, tonumber(ARGV[7]))
end
redis.call('HSET', KEYS[1], 'place', string.format('%.0f', place))
if ARGV[4] ~= '' and tonumber(ARGV[5]) > tonumber(facts[4]) then
  redis.call('HSET', KEYS[1], 'head', ARGV[4], 'headVersion', ARGV[5])
end
return {0, place}`;

/** ARGV: owner, head, name. Returns the fence, or 0 if the session exists. A repeated call returns the same fence. */
const create = `
local facts = redis.call('HMGET', KEYS[1], 'fence', 'owner')
if facts[1] and facts[2] == ARGV[1] then return tonumber(facts[1]) end
if facts[1] then return 0 end
local fence = redis.call('INCR', KEYS[5])
redis.call('DEL', KEYS[2], KEYS[3])
redis.call('HSET', KEYS[1], 'fence', fence, 'owner', ARGV[1], 'place', 0, 'head', ARGV[2], 'headVersion', 0, 'snapshotPlace', 0)
redis.call('ZADD', KEYS[4], 0, ARGV[3])
return fence`;

/** ARGV: owner, prefix of leases. Returns the fence, 0 while another owner's lease lasts, or -1 if there is no such session. */
const claim = `
local owner = redis.call('HGET', KEYS[1], 'owner')
if not owner then return -1 end
if owner ~= '' and owner ~= ARGV[1] and redis.call('EXISTS', ARGV[2] .. owner) == 1 then return 0 end
local fence = redis.call('INCR', KEYS[5])
redis.call('HSET', KEYS[1], 'fence', fence, 'owner', ARGV[1], 'headVersion', 0)
return fence`;

/** ARGV: fence, owner. */
const release = `${ifOwner}
if isOwner then redis.call('HSET', KEYS[1], 'owner', '') end
return 0`;

/** ARGV: fence, owner, name. */
const remove = `${ifOwner}
if isOwner then
  redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
  redis.call('ZREM', KEYS[4], ARGV[3])
end
return 0`;

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
  release: { numberOfKeys: 5, lua: release },
  remove: { numberOfKeys: 5, lua: remove },
  renew: { numberOfKeys: 1, lua: renew },
} as const;
