// A script as a part of an address: deflated, in the letters of base64url.

const most_bytes = 1 << 20;  // of a script that a link may carry

async function through(bytes: Uint8Array, stream: CompressionStream | DecompressionStream): Promise<Uint8Array> {
  const reader = new Blob([bytes as BlobPart]).stream().pipeThrough(stream as ReadableWritablePair<Uint8Array, BufferSource>).getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most_bytes) {
      await reader.cancel();
      throw new Error("the link carries more than a megabyte");
    }
    parts.push(value);
  }
  const out = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export async function encoded(script: string): Promise<string> {
  const bytes = await through(new TextEncoder().encode(script), new CompressionStream("deflate-raw"));
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export async function decoded(text: string): Promise<string> {
  const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), c => c.charCodeAt(0));
  return new TextDecoder().decode(await through(bytes, new DecompressionStream("deflate-raw")));
}

/// The script of an address that ends in #script=…; null where it has none.
export async function scriptOf(fragment: string): Promise<string | null> {
  const found = /^#script=([A-Za-z0-9_-]+)$/.exec(fragment);
  return found?.[1] ? decoded(found[1]) : null;
}
