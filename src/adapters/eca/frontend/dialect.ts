// The features of a client that change the frames for it.

/** The dialect of one client. Clients that share a stream get {@link union}. */
export interface Dialect {
  /**
   * Pieces of a tool call's arguments are sent as they come. Only clients that append pieces get them; all others get
   * the whole text once (docs/protocols/eca.md 3.3).
   */
  readonly streamsArguments: boolean;
  /** The client can be asked questions (`chat/askQuestion`). */
  readonly asks: boolean;
  /** The client does not show `$/showMessage`. Messages to its user are sent as chat text. */
  readonly saysInChat: boolean;
}

/** The dialect that serves clients of both eras. */
export const union: Dialect = { streamsArguments: false, asks: false, saysInChat: false };

/** The dialect as one word. Clients with the same word share a stream. Undefined for {@link union}. */
export function dialectName({ streamsArguments, asks, saysInChat }: Dialect): string | undefined {
  const words = [
    ...(streamsArguments ? ['streams'] : []),
    ...(asks ? ['asks'] : []),
    ...(saysInChat ? ['inchat'] : []),
  ];
  return words.length === 0 ? undefined : words.join('-');
}

/** The dialect with this name. */
export function dialectOf(name: string | undefined): Dialect {
  const words = name?.split('-') ?? [];
  return {
    streamsArguments: words.includes('streams'),
    asks: words.includes('asks'),
    saysInChat: words.includes('inchat'),
  };
}
