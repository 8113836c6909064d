// A first-in first-out queue of any length.

/** Removing the first item takes the same time for any length. */
export interface Queue<Item> {
  push(item: Item): void;
  /** Returns the first item without removing it. */
  peek(): Item | undefined;
  /** Removes the first item. */
  shift(): Item | undefined;
  readonly length: number;
}

/** Empty slots at the front from which on the rest is copied to a new array. */
const worthCopying = 1024;

/** Creates an empty queue. */
export function createQueue<Item>(): Queue<Item> {
  let items: (Item | undefined)[] = [];
  let first = 0;
  return {
    push: (item) => void items.push(item),
    peek: () => items[first],
    shift() {
      const item = items[first];
      if (first >= items.length) return undefined;
      items[first] = undefined;
      first += 1;
      if (first === items.length || (first >= worthCopying && first * 2 >= items.length)) {
        items = items.slice(first);
        first = 0;
      }
      return item;
    },
    get length() {
      return items.length - first;
    },
  };
}
