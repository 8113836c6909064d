// The versions that a server of ours tells of itself (docs/protocols/pi-server.md 2.1, 16.1). A test holds the first to package.json, which no
// adapter may read.

/** Of this package. */
export const serverVersion = '0.1.0';

/** Of the protocol: both lifecycle dialects call themselves so (docs/protocols/pi-server.md 1.1). */
export const protocolVersion = '1.0.0';
