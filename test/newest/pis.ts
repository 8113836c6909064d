// The pis of today as the suite needs them: the class of their own client, the program, and the Node that runs the program.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inject } from 'vitest';
import { nodeIn, type ProgramName } from '../support/programs.ts';
import type { RealPi } from '../support/rpc-rig.ts';

/** Which pi. */
export type PiName = Extract<ProgramName, `pi-${string}`>;
export const piNames: readonly PiName[] = ['pi-newest', 'pi-0.87', 'pi-0.73'];

/** A pi that is on this machine. */
export interface Pi extends Omit<RealPi, 'Client'> {
  readonly name: PiName;
  readonly version: string;
  readonly folder: string;
}

type ClientModule = typeof import('../../node_modules/pi-modern/dist/modes/rpc/rpc-client.js');

/** That pi, or why there is none. */
export function findPi(name: PiName): Pi | { readonly reason: string } {
  const programs = inject('programs');
  const found = programs[name];
  if ('reason' in found) return { reason: `${name}: ${found.reason}` };
  const { folder, version } = found;
  if (name === 'pi-0.73')
    return { name, version, folder, cli: join(folder, 'dist/cli.js'), node: process.execPath, dialect: 'growing' };
  const node = nodeIn(programs['node-22']);
  if (node === null) return { reason: `${name} needs Node 22: ${Object(programs['node-22']).reason}` };
  const cli = [join(folder, 'dist/bundle/cli.js'), join(folder, 'dist/cli.js')].find((file) => existsSync(file));
  if (cli === undefined) return { reason: `${name}: ${version} has no dist/bundle/cli.js` };
  return { name, version, folder, cli, node, dialect: 'delta-only' };
}

/** The class of that pi's own client. It needs no newer Node than this one. */
export async function clientOf({ folder }: Pi): Promise<RealPi['Client']> {
  const file = pathToFileURL(join(folder, 'dist/modes/rpc/rpc-client.js')).href;
  const { RpcClient } = (await import(file)) as ClientModule;
  return RpcClient;
}

/** The environment in which a pi finds its home and asks nobody. */
export const piEnv = (agentDir: string) => ({
  PI_CODING_AGENT_DIR: agentDir,
  PI_OFFLINE: '1',
  PI_SKIP_VERSION_CHECK: '1',
});
