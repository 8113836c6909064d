// The versions that the gateway reports as a server (docs/protocols/pi-server.md 2.1, 16.1). A test compares the first
// with package.json, which an adapter may not read.

/** The version of this package. */
export const serverVersion = '0.1.0';

/** The version of the protocol. Both lifecycle dialects use the same one (docs/protocols/pi-server.md 1.1). */
export const protocolVersion = '1.0.0';
