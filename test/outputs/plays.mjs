// What clients are told, and agents asked, when the lines of recorded clients are played against a gateway: with the demo
// agent, and with an agent of each protocol. Such an agent is a second gateway in front of the demo agent, so every adapter
// speaks in both directions; the Messages API, which no client speaks, is a stand-in.
import { createApi } from './api.mjs';
import { clientsOf } from './dialects.mjs';
import { agentSide, clientSide, withConnect } from './sides.mjs';
import { createEnd, createFrames, createPost } from './wire.mjs';
import { createClock, newWorld, played, unplaced } from './world.mjs';

/** How long a recorded client waits before its next line, and before one that is about what is going on, ms. */
const [patienceMs, hurryMs] = [1000, 20];
const hurried = /abort|interrupt|steer|follow|stop/iu;
/** Open questions are over then, ms. */
const lastMs = 11 * 60_000;

/** Protocols whose lines can be played as another's as well. */
const kin = { claude: ['claude', 'rpc-message'] };

/** One output for each recording, agent and client; in three parts: for clients, for the agent, and the log. */
export async function* plays(build, recordings) {
  const agents = ['demo', ...wireAgents(build.adapters)];
  for (const { frontend, options, name } of clientsOf(build.adapters)) {
    const isPlain = Object.keys(options).length === 0;
    for (const { name: recording, lists, answer, isTour, isWhole } of playable(recordings, frontend)) {
      for (const agent of isTour || (isPlain && isWhole) ? agents : ['demo']) {
        const isVisited = isPlain && isWhole && (isTour || agent === 'demo');
        const told = [];
        for (const steps of lists) {
          told.push(await play(build, { frontend, options, agent, steps, answer, isVisited }));
        }
        const of = `${recording} | ${agent} | ${name}`;
        yield { kind: 'play', of, text: joined(told, 'client') };
        if (agent !== 'demo') yield { kind: 'play-agent', of, text: joined(told, 'agent') };
        yield { kind: 'play-log', of, text: joined(told, 'log') };
      }
    }
  }
}

const joined = (told, part) => told.map((one) => one[part]).join('');

/** What a client of that protocol can say: each list of steps to a gateway of its own. */
function playable(recordings, frontend) {
  return recordings.flatMap(({ name, protocol, rows, frames, tour }) => {
    if (tour !== undefined)
      return protocol === frontend ? [{ name, lists: [tour.steps], ...tour, isTour: true, isWhole: true }] : [];
    if (!(kin[protocol] ?? [protocol]).includes(frontend)) return [];
    if (frames !== undefined) return [{ name, lists: frames.map((line) => [{ line, conn: '', ms: patienceMs }]) }];
    const steps = stepsOf(rows);
    return steps.length === 0 ? [] : [{ name, lists: [steps], isTour: false, isWhole: true }];
  });
}

/** Its requests are answered by a stand-in. */
const api = 'anthropic';

/** Agents that are reached over a wire. */
function wireAgents(adapters) {
  const all = [...adapters.values()];
  return all
    .filter((adapter) => agentSide(adapter) !== undefined)
    .filter((adapter) => clientSide(adapter) !== undefined || adapter.id === api)
    .map(({ id }) => id);
}

/** What a recorded client says and when. */
function stepsOf(rows) {
  const said = rows.filter(({ dir }) => dir === 'in');
  return said.map(({ line, conn }, index) => {
    const next = said[index + 1]?.line ?? '';
    return { line, conn, ms: hurried.test(next) ? hurryMs : patienceMs };
  });
}

/** Plays it from the first step until everybody has gone. */
async function play(build, { frontend, options, agent, steps, answer = () => null, isVisited = false }) {
  const { sessions, project } = newWorld();
  process.chdir(project);
  const clock = createClock();
  const post = createPost();
  const frameOf = createFrames(build);
  const texts = { client: [], agent: [], log: [] };
  const note = (level, text, fields = {}) => texts.log.push(`${level} ${text} ${JSON.stringify(fields)}\n`);
  const config = (given) => build.parseConfig({ ...given, sessionDirectory: sessions });

  const inner = build.createGateway(config({}), { clock, log: () => {} });
  const wire = agent === 'demo' ? null : innerAgent({ build, agent, inner, post, frameOf, said: texts.agent });
  const gateway = build.createGateway(config(agent === 'demo' ? {} : { agents: { inner: { protocol: agent } } }), {
    clock,
    log: note,
  });
  const ends = new Map();
  let isAnswering = true;

  function endOf(conn) {
    if (ends.has(conn)) return ends.get(conn);
    const end = createEnd({
      post,
      frameOf,
      label: `client ${conn}`,
      heard(bytes, closed) {
        texts.client.push(bytes === null ? `${conn}# ${closed}\n` : `${conn}< ${bytes}\n`);
        const line = bytes === null || !isAnswering ? null : answer(bytes.toString());
        if (line !== null) end.say(line);
      },
    });
    ends.set(conn, end);
    gateway.serveClient(end.channel, { frontend, options }).catch((thrown) => note('error', String(thrown)));
    return end;
  }

  try {
    for (const step of steps) {
      isAnswering = step.isAnswering ?? true;
      endOf(step.conn).say(played(step.line));
      await post.rest();
      await clock.advance(step.ms, post.rest);
    }
    if (isVisited) await visit({ build, gateway, post, frameOf, said: texts.client });
    for (const end of ends.values()) end.half();
    await post.rest();
    await clock.advance(lastMs, post.rest);
    texts.log.push(gateway.board.metrics());
    for (const end of ends.values()) end.end('the client has gone');
    await post.rest();
    gateway.close('the play is over');
    inner.close('the play is over');
    await post.rest();
  } finally {
    wire?.remove();
  }
  return Object.fromEntries(Object.entries(texts).map(([part, pieces]) => [part, shown(pieces.join(''))]));
}

/** Clients of every dialect that come late to each session: over a channel, and as a stream with cursors. */
async function visit({ build, gateway, post, frameOf, said }) {
  for (const session of gateway.board.sessions()) {
    for (const { frontend, options, name } of clientsOf(build.adapters)) {
      const request = { frontend, options, session: session.id, principal: build.owner ?? 'owner' };
      const heard = (bytes, closed) => said.push(`late ${name}${bytes === null ? `# ${closed}` : `< ${bytes}`}\n`);
      const end = createEnd({ post, frameOf, label: `late ${name}`, heard });
      gateway.board.connect(end.channel, request);
      await post.rest();
      end.end('the visit is over');
      await post.rest();
      const reader = gateway.board.stream(request, null);
      for (let entries = reader.read(1 << 20); entries.length > 0; entries = reader.read(1 << 20)) {
        for (const entry of entries) said.push(`stream ${name}< ${entryText(entry)}\n`);
      }
      reader.close();
    }
  }
}

function entryText({ out, ...about }) {
  const pieces = typeof out === 'string' ? [out] : (out ?? []);
  return `${JSON.stringify(about)} ${pieces.map((piece) => (typeof piece === 'string' ? piece : Buffer.from(piece))).join('')}`;
}

/** Until it is removed, agents of that protocol are reached in this process, and are a gateway with the demo agent. */
function innerAgent({ build, agent, inner, post, frameOf, said }) {
  const { adapters } = build;
  const real = adapters.get(agent);
  let count = 0;

  function connect() {
    count += 1;
    const name = count;
    let far = null;
    const near = createEnd({
      post,
      frameOf,
      label: `agent ${name}`,
      heard(bytes, closed) {
        said.push(`${name}${bytes === null ? `# ${closed}` : `< ${bytes}`}\n`);
        if (bytes === null) far.half();
        else far.say(bytes);
      },
    });
    if (agent === api) {
      far = createApi(
        (line) => near.say(line),
        () => near.end('the API is gone'),
      );
      return near.channel;
    }
    const client = createEnd({
      post,
      frameOf,
      label: `client ${name}`,
      heard(bytes, closed) {
        if (bytes === null) near.end(closed);
        else near.say(bytes);
      },
    });
    far = client;
    void inner.serveClient(client.channel, { frontend: agent, options: {} });
    return near.channel;
  }

  adapters.set(agent, withConnect(real, connect));
  return { remove: () => adapters.set(agent, real) };
}

/** Ids that were made up count from 1 in each text, whoever else was given one. */
function shown(text) {
  const known = new Map();
  return unplaced(text).replaceAll(/00000000-0000-4000-8000-\d{12}/gu, (id) => {
    if (!known.has(id)) known.set(id, `00000000-0000-4000-8000-${String(known.size + 1).padStart(12, '0')}`);
    return known.get(id);
  });
}
