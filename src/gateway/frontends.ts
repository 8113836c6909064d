// The client sides of all protocols, with their configured settings.
import type { AdapterOf } from '../adapters/protocols.ts';
import type { Config } from '../config/config.ts';
import type { Env } from '../core/contract/adapter/action.ts';
import type { FrontendSide } from '../core/contract/adapter/frontend.ts';
import type { Options } from '../core/contract/adapter/launch.ts';
import { GatewayError } from '../core/model/errors.ts';

/** The dependencies of the client sides. */
export interface FrontendsPorts {
  readonly config: Pick<Config, 'frontends'>;
  readonly env: Env;
  readonly adapterOf: AdapterOf;
  /** Ids of all protocols. */
  readonly ids: () => Iterable<string>;
}

/** The client sides of one gateway. */
export class Frontends {
  readonly #settings: Config['frontends'];
  readonly #ports: FrontendsPorts;

  constructor(ports: FrontendsPorts) {
    this.#settings = ports.config.frontends;
    this.#ports = ports;
  }

  /** The client side of a protocol for these options. Throws `not-found` or `invalid`. */
  sideOf(frontend: string, options: Options): FrontendSide {
    const { adapterOf, env } = this.#ports;
    const side = adapterOf(frontend, 'client').client?.frontend(env, options, this.#settings[frontend]);
    if (side === undefined) throw new GatewayError('not-found', `${frontend} has no client side`);
    return side;
  }

  /** Throws `invalid` for settings that are wrong or that no protocol reads. */
  checkSettings(): void {
    for (const id of Object.keys(this.#settings)) {
      this.sideOf(id, {});
      if (this.#ports.adapterOf(id).client?.hasSettings !== true)
        throw new GatewayError('invalid', `frontends.${id}: it has no settings`);
    }
  }

  /** Longest frame of that protocol's clients, bytes; without an id, of any protocol. Undefined without a limit. */
  maxFrameBytes(frontend?: string): number | undefined {
    const ids = frontend === undefined ? [...this.#ports.ids()] : [frontend];
    // Only protocols with settings have a limit of their own.
    const limits = ids
      .filter((id) => this.#ports.adapterOf(id).client?.hasSettings === true)
      .map((id) => this.sideOf(id, {}).limits?.maxFrameBytes ?? 0);
    return limits.length === 0 ? undefined : Math.max(...limits);
  }
}
