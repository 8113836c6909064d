// The checks of pi-server that our own server fails on purpose. Our tests fail when it passes one of them.

/** The reason for each departure, by check id. */
export const departures: ReadonlyMap<string, string> = new Map([
  [
    'pi-server/3.2-11',
    'The protocol has text frames alone (3.1), and all our WebSockets refuse binary messages in the same way: with an error, and the connection goes on.',
  ],
  [
    'pi-server/8-56b',
    'The protocol does not ask for it (8.1), and a session that is told as new twice is an error to clients that keep a list.',
  ],
]);
