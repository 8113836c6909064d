// `patchbay conformance`: what it judges, what it writes, and its exit codes; as a program where the process itself counts. What
// the checks find is tested where they are.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConformanceOptions, withConformanceOptions } from '../../src/cli/conformance/options.ts';
import { runConformance } from '../../src/cli/conformance/run.ts';
import { killAllChildren } from '../../src/transports/child/process-group.ts';
import { type Finished, patchbay } from '../support/command.ts';
import { collect as collectGarbage } from '../support/held-bytes.ts';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const ws = fileURLToPath(new URL('../../node_modules/ws/index.js', import.meta.url));
const client = fileURLToPath(new URL('../conformance/support/scripted-client.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'patchbay-conformance-test-'));
const place = (name: string) => join(folder, name);
const file = (name: string, text: string) => {
  writeFileSync(place(name), text);
  return place(name);
};
const demo = (frontend: string) => ['--', process.execPath, main, 'stdio', '--frontend', frontend, '--agent', 'demo'];
/** Runs the command in this process, which is faster. Rejects on wrong usage. */
async function conformance(args: readonly string[], signal = new AbortController().signal): Promise<Finished> {
  const said = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof said) => ({
    write(text: string) {
      said[name] += text;
    },
  });
  let code: Promise<number> | undefined;
  withConformanceOptions(new Command('conformance'))
    .exitOverride()
    .action((protocol: string | undefined, command: string[], options: ConformanceOptions) => {
      const terminal = { stdout: stream('stdout'), stderr: stream('stderr'), signal };
      code = runConformance({ protocol, command, options }, terminal);
    })
    .parse(args, { from: 'user' });
  return { code: (await code) ?? null, ...said };
}

interface Report {
  readonly protocol: string;
  readonly side: string;
  readonly target: string;
  readonly results: { readonly id: string; readonly verdict: string; readonly known?: boolean }[];
}
const reportIn = (text: string) => JSON.parse(text) as Report;
const verdicts = ({ results }: Report, wanted: string) =>
  results.filter(({ verdict }) => verdict === wanted).map(({ id }) => id);

/** What a terminal would obey, as 7 bits and as 8. */
const evil = 'HACK\u001b]0;HACK\u0007\u001b[2J\u009b2J\u007f';
/** All controls but the ends of lines. */
const unseen = /(?![\n\t])\p{Cc}/u;

/** Answers every command as if there were nothing to tell. */
const liar = [
  '--no-model',
  '--patience',
  '2000',
  '--only',
  'pi/get-state-data',
  '--',
  process.execPath,
  '-e',
  `require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
     const { id, type: command } = JSON.parse(line);
     console.log(JSON.stringify({ id, type: 'response', command, success: true, data: {} }));
   })`,
];

afterAll(() => {
  killAllChildren();
  rmSync(folder, { recursive: true, force: true });
});

describe('--list', () => {
  it('a reader that leaves early ends nothing but the output', async () => {
    const child = spawn(process.execPath, [main, 'conformance', '--list', '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (text) => {
      stderr += String(text);
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect([code, stderr]).toEqual([0, '']);
  });

  it('lists the checks of one protocol, or of all', async () => {
    const [all, one] = await Promise.all([
      conformance(['--list']),
      conformance(['pi-legacy', '--list', '--json', '--only', 'agent-end']),
    ]);
    expect([all.code, one.code]).toEqual([0, 0]);
    for (const protocol of ['pi', 'pi-legacy', 'pi-server', 'claude', 'rpc-message', 'eca', 'acp'])
      expect(all.stdout).toMatch(
        new RegExp(`^${protocol}, agents, version \\d+: \\d+ checks; what is measured describes \\S`, 'mu'),
      );
    const sets = JSON.parse(one.stdout) as {
      protocol: string;
      side: string;
      checks: { id: string; level: string }[];
    }[];
    expect(sets.map(({ protocol, side }) => `${protocol} ${side}`)).toContain('pi-legacy agent');
    for (const { checks } of sets) for (const { id } of checks) expect(id).toContain('agent-end');
  });
});

describe('wrong calls exit with 2 and say what to do', () => {
  const rows: [string, string[], RegExp][] = [
    ['no protocol', [], /which protocol\? The choices are .*pi-server \(agent, client\)/u],
    ['unknown protocol', ['nope', '--', 'x'], /no checks for agents of "nope"; known protocols: .*pi-legacy/u],
    ['no agent', ['pi'], /where is the agent\? add `-- <program>/u],
    ['address of another kind', ['pi', '--url', 'ftp://x'], /must begin with ws:\/\//u],
    [
      'transport that leads nowhere',
      ['pi', '--transport', 'sse', '--', 'x'],
      /no way to reach it over sse, only over stdio/u,
    ],
    ['nothing chosen', ['pi', '--only', 'zzz', '--', 'x'], /no check of agents of pi matches zzz; see --list/u],
    ['two reports on stdout', ['pi', '--json', '--tap', '--', 'x'], /--json and --tap cannot share stdout/u],
    ['explanations for no page', ['pi', '--explanations', main, '--', 'x'], /are for --markdown/u],
    [
      'explanations that are none',
      ['pi', '--markdown', place('x.md'), '--explanations', main, '--', 'x'],
      /cannot read .*main\.js/u,
    ],
    ['list that is not there', ['pi', '--known-failing', 'nowhere', '--', 'x'], /cannot read nowhere/u],
    ['script that is none', ['pi', '--no-model', '--script', main, '--', 'x'], /cannot read .*main\.js/u],
    ['client at an address', ['pi-legacy', '--as', 'client', '--url', 'ws://x'], /clients connect to us/u],
    [
      'recording of the other side',
      ['pi', '--trace', main, '--by', 'agent', '--as', 'client'],
      /says nothing about the client/u,
    ],
    ['agent that listens', ['pi', '--listen'], /are for clients: add --as client/u],
    ['ready line of nobody', ['pi', '--ready', 'x'], /for agents that listen: add `-- <program>/u],
    ['ready line that is none', ['pi', '--ready', '(', '--', 'x'], /regular expression/u],
    ['stdout taken', ['pi-legacy', '--as', 'client', '--stdio', '--json'], /stdout belongs to the client/u],
    ['recording that is not there', ['pi', '--trace', 'nowhere.jsonl'], /cannot read nowhere\.jsonl/u],
    ['recording that is none', ['pi', '--trace', main], /main\.js: .*line 1 is no row/u],
    ['recording of two sides in one file', ['pi-legacy', '--trace', main, '--json', 'x'], /a report covers one side/u],
  ];
  it.each(rows)('%s', (_name, args, sentence) => expect(conformance(args)).rejects.toThrow(sentence));

  it('as a program', async () => {
    const { code, stdout, stderr } = await patchbay(['conformance', 'nope', '--', 'x']);
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^patchbay: no checks for agents of "nope"/u),
    ]);
  });
});

describe('agents', () => {
  it('a program that is true to its protocol: 0, and a report of every kind', { timeout: 60_000 }, async () => {
    const files = [
      '--json',
      place('r.json'),
      '--junit',
      place('r.xml'),
      '--tap',
      place('r.tap'),
      '--html',
      place('r.html'),
    ];
    const chosen = ['--only', 'pi/get-state*', '--only', 'pi/get-messages-data'];
    const { code, stdout, stderr } = await conformance(['pi', ...files, '--verbose', ...chosen, ...demo('pi')]);
    expect([code, stderr.match(/FAILED|unclear/u)]).toEqual([0, null]);
    expect(stderr).toMatch(/^\[1\/\d+\] scenario \w+: ok$/mu);
    expect(stdout).toMatch(/MUST/u);
    const report = reportIn(readFileSync(place('r.json'), 'utf8'));
    expect(report).toMatchObject({ protocol: 'pi', side: 'agent', target: expect.stringContaining('--frontend pi') });
    expect(verdicts(report, 'passed')).toEqual(expect.arrayContaining(['pi/get-state-data', 'pi/get-messages-data']));
    expect(report.results.every(({ id }) => /get-(?:state|messages)/u.test(id))).toBe(true);
    expect(readFileSync(place('r.xml'), 'utf8')).toMatch(/^<\?xml .*<testsuite/su);
    expect(readFileSync(place('r.tap'), 'utf8')).toMatch(/^TAP version 14\n/u);
    expect(readFileSync(place('r.html'), 'utf8')).toMatch(/^<!doctype html>/iu);
  });

  it('one that is not: 1; known failures: 0; a stale list: 1', { timeout: 60_000 }, async () => {
    const known = file('known', '# theirs\npi/get-state-data\n');
    const stale = file('stale', 'pi/get-state-data\npi/nope*\n');
    const [wrong, expected, old] = await Promise.all([
      conformance(['pi', '--json', ...liar]),
      conformance(['pi', '--json', '--known-failing', known, ...liar]),
      conformance(['pi', '--known-failing', stale, ...liar]),
    ]);
    expect([wrong.code, verdicts(reportIn(wrong.stdout), 'failed')]).toEqual([1, ['pi/get-state-data']]);
    expect(wrong.stderr).toMatch(/failed: the peer is wrong/u);
    expect([expected.code, reportIn(expected.stdout).results]).toMatchObject([0, [{ verdict: 'failed', known: true }]]);
    expect([old.code, old.stderr]).toEqual([
      1,
      expect.stringMatching(/stale is stale: line 2: there is no check pi\/nope\*/u),
    ]);
  });

  it('a page of documentation, in which the failure is explained', { timeout: 60_000 }, async () => {
    const [why, stray] = [
      file('why.json', '{ "pi/get-state-*": "Theirs: it lies." }'),
      file('stray.json', '{ "pi/x": "?" }'),
    ];
    const page = ['--markdown', place('r.md'), '--label', 'a liar'];
    const { code } = await conformance(['pi', ...page, '--explanations', why, ...liar]);
    const text = readFileSync(place('r.md'), 'utf8');
    expect(code).toBe(1);
    expect(text).toMatch(/^# pi agent: a liar$/mu);
    expect(text).toMatch(/^\| `pi\/get-state-data` \| .* \| Theirs: it lies\. \|$/mu);
    await expect(conformance(['pi', ...page, '--explanations', stray, ...liar])).rejects.toThrow(
      /stray\.json explains unknown checks: pi\/x/u,
    );
  });

  it('a program runs in a new folder, which is removed, or in the one that is named', { timeout: 60_000 }, async () => {
    const telling = `require('fs').appendFileSync(${JSON.stringify(place('places'))}, process.cwd() + '\\n');`;
    const words = [...liar.slice(0, -1), `${telling}${liar.at(-1)}`];
    await conformance(['pi', ...words]);
    await conformance(['pi', '--cwd', folder, ...words]);
    const places = [...new Set(readFileSync(place('places'), 'utf8').trim().split('\n'))];
    expect(places).toEqual([expect.stringContaining(join(tmpdir(), 'patchbay-conformance-')), folder]);
    expect(existsSync(places[0] ?? folder)).toBe(false);
  });

  it('a program is found where we are, by its bare name too, and each has an agent folder of its own', {
    timeout: 60_000,
  }, async () => {
    const telling = `require('fs').appendFileSync(${JSON.stringify(place('homes'))}, process.env.PI_CODING_AGENT_DIR + '\\n');`;
    file('agent.cjs', `${telling}${liar.at(-1)}`);
    const words = [...liar.slice(1, liar.indexOf('--') + 1), process.execPath, 'agent.cjs'];
    const { code, stdout } = await patchbay(['conformance', 'pi', '--json', ...words], { cwd: folder });
    expect([code, verdicts(reportIn(stdout), 'unclear')]).toEqual([1, []]);
    const homes = readFileSync(place('homes'), 'utf8').trim().split('\n');
    expect(homes.length).toBeGreaterThan(1);
    expect(new Set(homes).size).toBe(homes.length);
  });

  it('a server is started, and reached where its ready line says, with its token', { timeout: 60_000 }, async () => {
    const serving = `const { WebSocketServer } = require(${JSON.stringify(ws)});
      const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
      server.on('listening', () => console.error('ready at ws://127.0.0.1:' + server.address().port + ', token abc'));
      server.on('connection', (socket, { url, headers }) => socket.on('message', (text) => {
        const { id, type: command } = JSON.parse(text);
        const isOurs = headers.authorization === 'Bearer abc' && url === '/' + process.argv[1];
        socket.send(JSON.stringify({ id, type: 'response', command, success: isOurs, data: {}, error: 'a stranger' }));
      }));`;
    const words = [...liar.slice(1, liar.indexOf('--')), '--', process.execPath, '-e', serving, '{port}'];
    const ready = ['--no-model', '--ready', 'at ws:(\\S+), token (?<token>\\w+)'];
    const [found, lost] = await Promise.all([
      conformance(['pi', '--json', ...ready, '--url', 'ws:{ready}/{port}', ...words]),
      conformance(['pi', ...ready, ...words]),
    ]);
    // An answer to a stranger would be unclear.
    expect([found.code, verdicts(reportIn(found.stdout), 'failed')]).toEqual([1, ['pi/get-state-data']]);
    expect([lost.code, lost.stderr]).toEqual([2, expect.stringMatching(/--url must begin with ws:.*: \/\/127/u)]);
  });

  it('one that is not there, or says nothing: 2, with the reason once', { timeout: 60_000 }, async () => {
    const dying = [process.execPath, '-e', 'console.error("I have no key"); process.exit(3)'];
    const [absent, dead, unreachable] = await Promise.all([
      conformance(['pi', '--no-model', '--', '/nowhere/agent']),
      conformance(['pi', '--no-model', '--', ...dying]),
      conformance(['pi', '--url', 'ws://127.0.0.1:1/']),
    ]);
    for (const { code, stdout } of [absent, dead, unreachable]) expect([code, stdout]).toEqual([2, '']);
    expect(absent.stderr).toMatch(/^patchbay: nothing could be judged: .*\/nowhere\/agent ENOENT/mu);
    expect(dead.stderr).toMatch(/^patchbay: nothing could be judged: .*code 3.*I have no key/msu);
    expect(unreachable.stderr).toMatch(/^patchbay: nothing could be judged: .*ECONNREFUSED/mu);
  });

  it('what it says moves no cursor', { timeout: 60_000 }, async () => {
    const shown = async (said: string, ...options: string[]) => {
      const body = `process.stdin.once('data', () => {
        process.stderr.write(${JSON.stringify(evil)});
        process.stdout.write(${JSON.stringify(`${said}\n`)}, () => process.exit());
      });`;
      const args = ['pi', '--no-model', '--only', 'get-state-data', ...options, '--', process.execPath, '-e', body];
      const { stdout, stderr } = await conformance(args);
      expect(stdout + stderr).toContain('HACK');
      return stdout + stderr;
    };
    const answer = JSON.stringify({ type: 'response', command: evil, id: evil });
    const outputs = await Promise.all([
      shown(evil),
      shown(evil, '--verbose'),
      shown(answer),
      shown(evil, '--json'),
      shown(`"\u009b2J"${evil}`, '--json', '--verbose'),
      shown(evil, '--tap'),
      shown(evil, '--junit'),
    ]);
    for (const output of outputs) expect(output).not.toMatch(unseen);
  });

  it('a signal that comes while it is still being loaded ends it with words', { timeout: 60_000 }, async () => {
    // The first thing that the command line does, just before it reads what was asked.
    const early = `process.stderr.on('newListener', () => setImmediate(() => process.kill(process.pid, 'SIGINT')));`;
    const hook = `data:text/javascript,${encodeURIComponent(early)}`;
    // Its own end could come before the signal is handled.
    const silent = 'process.stdin.resume()';
    const args = ['--import', hook, main, 'conformance', 'pi', '--no-model', '--', process.execPath, '-e', silent];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    const stderr = collect(child.stderr);
    const ended = await new Promise((resolve) => child.once('close', (code, killer) => resolve(code ?? killer)));
    expect([ended, stderr.text()]).toEqual([2, expect.stringMatching(/the run was stopped/u)]);
  });

  it('a signal ends the run with what there is', { timeout: 60_000 }, async () => {
    const hanging = [process.execPath, '-e', 'console.log("{}"); setInterval(() => {}, 1000)'];
    const args = [main, 'conformance', 'pi', '--no-model', '--json', '--', ...hanging];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
    const stdout = collect(child.stdout);
    const stderr = collect(child.stderr);
    const ended = new Promise((resolve) => child.once('close', resolve));
    await stderr.until(/^0 of \d+/mu);
    child.kill('SIGINT');
    expect([await ended, stderr.text()]).toEqual([
      2,
      expect.stringMatching(/nothing could be judged: the run was stopped/u),
    ]);
    expect(verdicts(reportIn(stdout.text()), 'unclear').length).toBeGreaterThan(0);
  });

  describe('that listen', () => {
    let server: ChildProcess;
    let url = '';
    beforeAll(async () => {
      const words = [main, 'serve', '--json', '--token', 'word', '--agent', 'demo'];
      server = spawn(process.execPath, words, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] });
      const line = collect(server.stdout);
      await line.until(/\n/u);
      url = (JSON.parse(line.text()) as { url: string }).url;
    });
    afterAll(() => {
      server.kill('SIGKILL');
    });

    it.concurrent.each([
      ['WebSocket', () => `${url.replace('http', 'ws')}/v1/pi/ws`],
      ['server-sent events', () => `${url}/v1/pi/sessions/{session}`],
    ])('over %s', { timeout: 60_000 }, async (_name, address) => {
      const args = ['pi', '--url', address(), '--token', 'word', '--only', 'pi/get-state*', '--json'];
      const { code, stdout } = await conformance(args);
      expect([code, verdicts(reportIn(stdout), 'passed')]).toEqual([0, expect.arrayContaining(['pi/get-state-data'])]);
    });

    it.concurrent.each([
      ['pi-legacy', 'pi-legacy/*line-error'],
      ['rpc-message', 'rpc-message/*query*'],
      ['rpc-message', 'rpc-message/interrupt*'],
      ['pi-server', 'pi-server/6.1-2*'],
      ['pi-server', 'pi-server/10-73'],
      ['pi-server', 'pi-server/event-*'],
    ])(
      'what a stream of events cannot show is not applicable there: %s %s',
      { timeout: 60_000 },
      async (protocol, only) => {
        const address = `${url}/v1/${protocol}/sessions/{session}`;
        const args = [protocol, '--url', address, '--token', 'word', '--only', only, '--json', '--patience', '30000'];
        const report = reportIn((await conformance(args)).stdout);
        const found = (verdict: string) => verdicts(report, verdict);
        expect([found('failed'), found('unclear')]).toEqual([[], []]);
        expect(found('not-applicable')).not.toEqual([]);
      },
    );

    it('sessions that a WebSocket names are deleted behind it', { timeout: 60_000 }, async () => {
      const headers = { authorization: 'Bearer word' };
      const named = async () => {
        const { sessions } = (await (await fetch(`${url}/v1/sessions`, { headers })).json()) as {
          sessions: { id: string }[];
        };
        return sessions.filter(({ id }) => id.startsWith('conformance-'));
      };
      const address = `${url.replace('http', 'ws')}/v1/pi-legacy/ws?session={session}`;
      const args = ['pi-legacy', '--url', address, '--token', 'word', '--only', 'pi-legacy/run-ends', '--json'];
      const { code, stdout } = await conformance(args);
      expect([code, verdicts(reportIn(stdout), 'passed')]).toEqual([0, ['pi-legacy/run-ends']]);
      await expect.poll(named).toEqual([]);
    });

    it('a token that is wrong is no fault of the agent', { timeout: 60_000 }, async () => {
      const address = `${url.replace('http', 'ws')}/v1/pi/ws`;
      const { code, stderr } = await conformance(['pi', '--url', address, '--token', 'other']);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/could not connect: .*401/u)]);
    });
  });
});

describe('clients', () => {
  const judged = ['pi-legacy', '--as', 'client'];
  const prompts = ['--', '[[text]] hello', '[[tool]] please'];
  const outcome = (report: Report) => [verdicts(report, 'failed'), verdicts(report, 'unclear'), report.side];

  it.concurrent.each([
    ['connects to us', [client, 'websocket', ...prompts]],
    ['listens to server-sent events', [client, 'events', ...prompts]],
    ['starts us as a program', [client, 'program', '{agent}', '--mode', 'rpc', ...prompts]],
  ])('a program that %s', { timeout: 60_000 }, async (_name, words) => {
    const { code, stdout, stderr } = await conformance([...judged, '--json', '--', process.execPath, ...words]);
    expect([code, ...outcome(reportIn(stdout))]).toEqual([0, [], [], 'client']);
    expect(stderr).toMatch(/behaviour text \(1 of \d+\)\nbehaviour tool \(2 of/u);
  });

  it('one that starts us itself, with the report in a file', { timeout: 60_000 }, async () => {
    const us = [process.execPath, main, 'conformance', ...judged, '--stdio', '--json', place('stdio.json')];
    const child = spawn(process.execPath, [client, 'program', ...us, ...prompts], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const stderr = collect(child.stderr);
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(0);
    expect(outcome(reportIn(readFileSync(place('stdio.json'), 'utf8')))).toEqual([[], [], 'client']);
    expect(stderr.text()).toMatch(/MUST/u);
  });

  it('whoever comes, until they have left', { timeout: 60_000 }, async () => {
    const args = [main, 'conformance', ...judged, '--listen', '--token', 'word', '--json'];
    const us = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
    const [stdout, stderr] = [collect(us.stdout), collect(us.stderr)];
    await stderr.until(/Ctrl-C/u);
    const url = /ws:\S+/u.exec(stderr.text())?.[0] ?? '';
    const env = { ...process.env, PATCHBAY_CONFORMANCE_URL: url, PATCHBAY_CONFORMANCE_TOKEN: 'word' };
    spawn(process.execPath, [client, 'websocket', ...prompts], { env, stdio: 'ignore' });
    expect(await new Promise((resolve) => us.once('close', resolve))).toBe(0);
    expect(outcome(reportIn(stdout.text()))).toEqual([[], [], 'client']);
  });

  it('one that never prompts is no client', { timeout: 60_000 }, async () => {
    const silent = ['--', process.execPath, '-e', 'console.error("I cannot find it"); process.exit(7)'];
    const sentence = /ended with code 7 and never prompted:\nI cannot find it/u;
    await expect(conformance([...judged, ...silent])).rejects.toThrow(sentence);
  });

  const waiting = 'setInterval(() => {}, 1000)';
  const talking = `const { WebSocket } = require(${JSON.stringify(ws)});
    const { PATCHBAY_CONFORMANCE_URL: url, PATCHBAY_CONFORMANCE_TOKEN: token } = process.env;
    const socket = new WebSocket(url, { headers: { authorization: 'Bearer ' + token } });
    socket.on('open', () => socket.send(JSON.stringify({ type: 'prompt', message: '[[text]]' })));`;
  it.concurrent('one that never connects, or never leaves, is given up', { timeout: 60_000 }, async () => {
    const given = (body: string) => conformance([...judged, '--patience', '300', '--', process.execPath, '-e', body]);
    const [silence, { code, stdout, stderr }] = await Promise.all([
      given(waiting).catch((thrown: unknown) => String(thrown)),
      given(talking),
    ]);
    expect(silence).toMatch(
      /the client was given up because it has not connected in 3.6 s \(--patience\) and never prompted/u,
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^patchbay: the client was given up because nothing was said/mu),
    ]);
    expect(stdout).toMatch(/MUST/u);
  });

  it.concurrent('one that leaves its agent behind does not keep us', { timeout: 60_000 }, async () => {
    const leaving = `const { spawn } = require('child_process');
      const words = ['-c', 'sleep 300 | "$0"', process.argv[1]];
      const agent = spawn('sh', words, { detached: true, stdio: 'inherit' });
      require('fs').writeFileSync(${JSON.stringify(place('left'))}, String(agent.pid));
      agent.unref();`;
    // What waits for the agent must not be collected meanwhile.
    const collecting = setInterval(collectGarbage, 100);
    try {
      await expect(conformance([...judged, '--', process.execPath, '-e', leaving, '{agent}'])).rejects.toThrow(
        /ended with code 0 and never prompted/u,
      );
    } finally {
      clearInterval(collecting);
      process.kill(-Number(readFileSync(place('left'), 'utf8')), 'SIGKILL');
    }
  });

  it.concurrent('what one prints moves no cursor', { timeout: 60_000 }, async () => {
    const body = `process.stdout.write(${JSON.stringify(evil)}); process.stderr.write(${JSON.stringify(evil)});`;
    const words = ['--verbose', '--', process.execPath, '-e', body];
    const { code, stdout, stderr } = await patchbay(['conformance', ...judged, ...words]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('HACK')]);
    expect(stdout + stderr).not.toMatch(unseen);
  });
});

describe('recordings', () => {
  it('are judged for both sides, or for one', { timeout: 60_000 }, async () => {
    const prompt = '{"type":"prompt","message":"hello"}';
    const { stdout: said } = await patchbay(['stdio', '--frontend', 'pi-legacy', '--agent', 'demo'], {
      input: `${prompt}\n`,
      cwd: folder,
    });
    const row = (dir: string) => (line: string) => `${JSON.stringify({ dir, line })}\n`;
    const lines = said.trimEnd().split('\n');
    const good = file('good.jsonl', [row('in')(prompt), ...lines.map(row('out'))].join(''));
    const broken = lines.filter((line) => !line.includes('"turn_start"'));
    const bad = file('bad.jsonl', [row('in')(prompt), ...broken.map(row('out'))].join(''));
    const [both, one, wrong] = await Promise.all([
      conformance(['pi-legacy', '--trace', good]),
      conformance(['pi-legacy', '--trace', good, '--as', 'agent', '--json']),
      conformance(['pi-legacy', '--trace', bad, '--as', 'agent', '--json']),
    ]);
    expect([both.code, both.stdout.match(/^pi-legacy (?:agent|client):/gmu)?.length]).toEqual([0, 2]);
    expect([one.code, verdicts(reportIn(one.stdout), 'failed')]).toEqual([0, []]);
    expect(wrong.code).toBe(1);
    expect(verdicts(reportIn(wrong.stdout), 'failed').length).toBeGreaterThan(0);
    const bare = file('bare.jsonl', said);
    const [agent, rows] = await Promise.all([
      conformance(['pi-legacy', '--trace', bare, '--by', 'agent']),
      conformance(['pi-legacy', '--trace', file('out.jsonl', lines.map(row('out')).join(''))]),
    ]);
    for (const { code, stdout, stderr } of [agent, rows])
      expect([code, stdout.match(/^pi-legacy (?:agent|client):/gmu), stderr]).toEqual([0, ['pi-legacy agent:'], '']);
  });

  it('what they hold moves no cursor', async () => {
    const broken = file('evil.jsonl', `${evil}\n${evil}\n`);
    const message = await conformance(['pi', '--trace', broken]).catch((thrown: unknown) => String(thrown));
    expect(message).toMatch(/line 1 is no row.*HACK/u);
    expect(message).not.toMatch(unseen);
  });
});

/** What a stream says. */
function collect(stream: NodeJS.ReadableStream | null): { text(): string; until(words: RegExp): Promise<void> } {
  let text = '';
  const watchers = new Set<() => void>();
  stream?.on('data', (chunk) => {
    text += String(chunk);
    for (const watcher of watchers) watcher();
  });
  return {
    text: () => text,
    until: (words) =>
      new Promise((resolve) => {
        const look = () => void (words.test(text) && resolve());
        watchers.add(look);
        look();
      }),
  };
}
