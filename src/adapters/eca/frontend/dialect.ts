// What of a client shows in how it is spoken to. Knows no message.

/** How one client is to be told things. Without a connection of its own a client gets {@link union}. */
export interface Dialect {
  /**
   * It appends pieces of a tool call's arguments as they come. Others replace what they have, so all get the whole text
   * once (docs/protocols/eca.md 3.3).
   */
  readonly streamsArguments: boolean;
  /** It can be asked questions (`chat/askQuestion`). */
  readonly asks: boolean;
  /** It does not show `$/showMessage`: what is for its user is said in the chat. */
  readonly saysInChat: boolean;
}

/** What serves clients of both eras. */
export const union: Dialect = { streamsArguments: false, asks: false, saysInChat: false };

/** As one word, by which a stream is shared; absent for {@link union}. */
export function dialectName({ streamsArguments, asks, saysInChat }: Dialect): string | undefined {
  const words = [
    ...(streamsArguments ? ['streams'] : []),
    ...(asks ? ['asks'] : []),
    ...(saysInChat ? ['inchat'] : []),
  ];
  return words.length === 0 ? undefined : words.join('-');
}

/** The dialect of that name. */
export function dialectOf(name: string | undefined): Dialect {
  const words = name?.split('-') ?? [];
  return {
    streamsArguments: words.includes('streams'),
    asks: words.includes('asks'),
    saysInChat: words.includes('inchat'),
  };
}
