// Notices a connection that is dead and was never closed: the gateway writes something at least every 15 s
// (docs/protocols/resume.md 4.7).

/** After so long without a message the connection is dead, ms. */
const silenceMs = 45_000;
/** Time to read the messages that have arrived while the program stood still, ms. */
const graceMs = 1_000;

/** A running watch. */
export interface SilenceWatch {
  /** Something has arrived. Cheap: called for each message. */
  heard(): void;
  stop(): void;
}

/** Calls `lost` once after the silence. */
export function watchSilence(lost: () => void): SilenceWatch {
  let heardAt = Date.now();
  let isSuspect = false;
  let timer = setTimeout(look, silenceMs);

  function look(): void {
    const left = heardAt + silenceMs - Date.now();
    if (left <= 0 && isSuspect) return lost();
    isSuspect = left <= 0;
    timer = setTimeout(look, isSuspect ? graceMs : left);
  }

  return {
    heard() {
      heardAt = Date.now();
    },
    stop: () => clearTimeout(timer),
  };
}
