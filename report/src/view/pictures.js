// SPDX-FileCopyrightText: 2026 The looptree authors
// SPDX-License-Identifier: MIT

// The pictures that stand behind the script of the page, in elements with a line "FRAME BASE64" each. They may still be
// on their way when somebody first asks for one.
class Embedded {
  constructor(set) {
    this.set = set;
    this.chunks = {frame: new Map(), pair: new Map()};
  }
  chunk(kind, number) {
    const {chunks} = this;
    const first = Math.floor(number / 64) * 64;
    if (!chunks[kind].has(first)) {
      const element = document.querySelector(
          `script[data-set="${this.set}"][data-kind="${kind}"][data-first="${first}"]`);
      // Behind it comes another element once it is whole.
      if (!element || (document.readyState === 'loading' && !element.nextElementSibling)) return undefined;
      chunks[kind].set(first, new Map(element.textContent.trim().split('\n').map((line) => {
        const space = line.indexOf(' ');
        return [Number(line.slice(0, space)), line.slice(space + 1)];
      })));
    }
    return chunks[kind].get(first).get(number);
  }
  url(number, kind) {
    const text = (kind === 'pair' ? this.chunk('pair', number) : undefined) ?? this.chunk('frame', number);
    return text && `data:image/webp;base64,${text}`;
  }
}

// The same from the server of a live run or a map.
class Served {
  constructor(address) { this.address = address; }
  url(number) { return this.address(number); }
}

// Decoded pictures, the latest few of them.
export class Pictures {
  constructor(source, most = 64) {
    Object.assign(this, {source, most});
    this.cache = new Map();
  }
  static embedded(set) { return new Pictures(new Embedded(set)); }
  static served(address) { return new Pictures(new Served(address), 1000); }

  // Resolves to an image, or null where there is none.
  async get(number, kind = 'frame') {
    const key = `${kind} ${number}`;
    if (this.cache.has(key)) return this.cache.get(key);
    const url = this.source.url(number, kind);
    if (!url) {
      if (document.readyState !== 'loading') return null;
      await new Promise((resolve) => setTimeout(resolve, 50));
      return this.get(number, kind);
    }
    const image = new Image();
    image.src = url;
    const loaded = image.decode().then(() => image, () => {
      this.cache.delete(key);  // it may be there later
      return null;
    });
    this.cache.set(key, loaded);
    if (this.cache.size > this.most) this.cache.delete(this.cache.keys().next().value);
    return loaded;
  }
}
