// How many checks go on at the same time unless the user says otherwise.

/** Checks that share a peer. */
export const usuallyAtOnce = 8;

/** Checks on stdio, where each has a program of its own: an agent takes memory and a processor while it starts. */
export const programsAtOnce = 4;
