// Images: raster formats by their first bytes, as blobs of the page. Anything else, SVG too, is shown as text. Nothing is
// fetched from an address that a model names.
import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Content } from '../../core/model/content.ts';
import { bytes } from '../state/format.ts';
import { Address, LongText } from './text.tsx';

type ImageContent = Extract<Content, { type: 'image' }>;

const magics: readonly (readonly [string, readonly (number | null)[]])[] = [
  ['image/png', [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/gif', [0x47, 0x49, 0x46, 0x38]],
  ['image/webp', [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
  ['image/bmp', [0x42, 0x4d]],
];

/** The raster format of these bytes; null: none that is shown as an image. */
export function formatOf(data: Uint8Array): string | null {
  return magics.find(([, magic]) => magic.every((byte, at) => byte === null || data[at] === byte))?.[0] ?? null;
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

export function Image({ image }: { readonly image: ImageContent }): VNode {
  const [address, setAddress] = useState<string | null>(null);
  const data = image.data === undefined ? null : decoded(image.data);
  const format = data === null ? null : formatOf(data);
  useEffect(() => {
    if (data === null || format === null) return undefined;
    const made = URL.createObjectURL(new Blob([data], { type: format }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [image]);
  if (image.url !== undefined) return <Address url={image.url} label={`image at ${image.url.slice(0, 200)}`} />;
  if (data === null) return <p class="quiet">an image without readable data</p>;
  if (format === null) return <LongText text={new TextDecoder().decode(data)} />;
  const name = image.name ?? `${format.slice(6)} image, ${bytes(data.length)}`;
  return <figure class="image">{address !== null && <img src={address} alt={name} />}</figure>;
}
