// The versions that a server of ours tells of itself (seed 2.1, 16.1). A test holds the first to package.json, which no
// adapter may read.

/** Of this package. */
export const serverVersion = '0.1.0';

/** Of the protocol: both lifecycle dialects call themselves so (reference pi-server, section 1). */
export const protocolVersion = '1.0.0';
