// R7: bad frames without end, from an agent and from a client, under a log that nobody reads.
import { type Arena, prompt, within } from './arena.ts';

/** From an agent: so many messages of no protocol, some in order among them. */
export const fromAgent = (count: number) => async (arena: Arena) => {
  const socket = await arena.connect(await arena.createSession('flood'));
  const over = new Promise<string>((resolve) => {
    socket.on('message', (frame: Buffer) => {
      if (frame.subarray(0, 16).includes('{"type":"result"')) resolve('its run ended');
    });
    socket.on('close', (code) => resolve(`closed with ${code}`));
  });
  prompt(socket, `junk ${count} 1`);
  const told = await within(over, 600_000, 'its run did not end');
  socket.terminate();
  return `${count} bad messages; ${told}`;
};

/** From a client: posts of 1,024 bad frames each, one after the other. */
export const fromClient = (count: number) => async (arena: Arena) => {
  const session = await arena.createSession('demo');
  const body = '1\n'.repeat(1024);
  const statuses = new Map<number, number>();
  const begun = performance.now();
  for (let sent = 0; sent < count && performance.now() - begun < 120_000; sent += 1024) {
    const response = await fetch(`${arena.url}/v1/claude/sessions/${session}/frames`, {
      method: 'POST',
      headers: { ...arena.headers, 'content-type': 'application/x-ndjson' },
      body,
    });
    await response.text();
    statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  return `answers ${[...statuses].map(([status, times]) => `${status} x ${times}`).join(', ')} in ${seconds} s`;
};
