// Frames and connections inside this process. Knows no protocol.
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** What makes frames of a build's kind; see Frame in src/core. `GatewayError` is the build's. */
export function createFrames({ GatewayError }) {
  class MemoryFrame {
    constructor(bytes) {
      this.bytes = bytes;
    }
    get text() {
      try {
        return utf8.decode(this.bytes);
      } catch {
        throw new GatewayError('bad-frame', 'the frame is not valid UTF-8');
      }
    }
    get json() {
      const { text } = this;
      try {
        return JSON.parse(text);
      } catch {
        throw new GatewayError('bad-frame', 'the frame is not valid JSON');
      }
    }
    from(byte) {
      return new MemoryFrame(this.bytes.subarray(byte));
    }
  }
  return (line) => new MemoryFrame(typeof line === 'string' ? Buffer.from(line) : line);
}

/** A frame of the gateway as bytes. */
export function bytesOf(out) {
  const pieces = typeof out === 'string' ? [out] : out;
  return Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** What is on its way in this process. Everything arrives in the order in which it was sent. */
export function createPost() {
  const letters = [];
  let isRunning = false;
  function run() {
    isRunning = false;
    for (const letter of letters.splice(0)) letter();
  }
  return {
    send(letter) {
      letters.push(letter);
      if (!isRunning) setImmediate(run);
      isRunning = true;
    },
    /** Resolves when nothing has been on its way for a moment. */
    async rest() {
      for (let calm = 0; calm < 3; calm += 1) {
        await new Promise((resolve) => setImmediate(resolve));
        if (isRunning) calm = -1;
      }
    },
  };
}

/**
 * One end of a connection, for a gateway. `heard` is told each of its frames as bytes, and `null` when it has closed the
 * connection. What `say` is given comes to the gateway as a frame, `half` is the end of the input, `end` the end of all.
 */
export function createEnd({ post, frameOf, label, heard }) {
  let receiver = null;
  let isOver = false;
  const early = [];

  function tell(act) {
    post.send(() => {
      if (isOver) return;
      if (receiver === null) early.push(act);
      else act(receiver);
    });
  }

  function finish(reason) {
    post.send(() => {
      if (isOver) return;
      isOver = true;
      receiver?.end({ reason });
    });
  }

  return {
    channel: {
      label,
      buffered: 0,
      open(given) {
        receiver = given;
        for (const act of early.splice(0)) act(receiver);
      },
      send(out) {
        const bytes = bytesOf(out);
        if (!isOver) heard(bytes);
      },
      pause() {},
      resume() {},
      close(code, reason) {
        if (isOver) return;
        heard(null, `${code}: ${reason}`);
        finish(reason);
      },
    },
    say: (line) => tell((to) => to.frame(frameOf(line))),
    half: () =>
      tell((to) => {
        // Older builds call it `half`.
        const inputEnded = to.inputEnded ?? to.half;
        if (inputEnded === undefined) finish('the input is over');
        else inputEnded.call(to);
      }),
    end: (reason) => finish(reason),
  };
}
