import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** The place that a sealed text belongs to. The text can be opened only for this place (docs/design.md#secrets). */
export interface SealedPlace {
  orgId: string;
  /** The id of its record, unique within the organisation. */
  record: string;
  field: string;
}

/** A sealed text that the master keys of the process do not open, or that was changed. */
class Unreadable extends Error {
  override readonly name = 'Unreadable';
}

/** Bytes of a master key. */
export const MASTER_KEY_BYTES = 32;

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Most organisations whose keys stay in memory. Deriving a key takes longer than sealing a text. */
const MOST_KEYS = 1_000;

/** Returns the id of a master key, which each text that it seals names. The id does not reveal the key. */
export const masterKeyId = (key: Buffer): string =>
  createHash('sha256').update(key).digest('hex').slice(0, 8);

/** Returns what every text begins with that a master key has sealed. */
export const sealedPrefix = (keyId: string): string => `${VERSION}.${keyId}.`;

/** A master key with its id, and the keys of organisations that were derived from it. */
class MasterKey {
  readonly id: string;
  readonly #bytes: Buffer;
  readonly #derived = new Map<string, Buffer>();

  constructor(bytes: Buffer) {
    if (bytes.length !== MASTER_KEY_BYTES) throw new Error('the master key must have 32 bytes');
    this.#bytes = bytes;
    this.id = masterKeyId(bytes);
  }

  of(orgId: string): Buffer {
    const known = this.#derived.get(orgId);
    if (known !== undefined) return known;
    if (this.#derived.size >= MOST_KEYS) this.#derived.clear();
    const key = Buffer.from(hkdfSync('sha256', this.#bytes, '', `cost-analytics sealing ${orgId}`, 32));
    this.#derived.set(orgId, key);
    return key;
  }
}

/**
 * Seals texts for storage with AES-256-GCM, and binds each to its place. HKDF derives the key of each organisation from the
 * master key. A sealed text is `v1.<id of the master key>.<base64url of nonce, tag, ciphertext>`. The previous master key opens
 * what was sealed before the key changed.
 */
export class Sealer {
  readonly #current: MasterKey;
  readonly #previous: MasterKey | null;

  /** @param masterKey 32 random bytes, as `previous` if there is one. */
  constructor(masterKey: Buffer, previous: Buffer | null = null) {
    this.#current = new MasterKey(masterKey);
    this.#previous = previous === null ? null : new MasterKey(previous);
  }

  /** The id of the master key that seals. */
  get keyId(): string {
    return this.#current.id;
  }

  /** The id of the previous master key; null without one. */
  get previousKeyId(): string | null {
    return this.#previous === null || this.#previous.id === this.keyId ? null : this.#previous.id;
  }

  seal(place: SealedPlace, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#current.of(place.orgId), nonce).setAAD(boundTo(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return (
      sealedPrefix(this.keyId) + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url')
    );
  }

  /** Throws {@link Unreadable} if the text was changed, or was sealed with another master key or for another place. */
  open(place: SealedPlace, sealed: string): string {
    const [version, keyId, text = ''] = sealed.split('.');
    if (version !== VERSION)
      throw new Unreadable(`the ${place.field} of ${place.record} is not sealed as ${VERSION}`);
    const key = [this.#current, this.#previous].find((known) => known?.id === keyId) ?? null;
    if (key === null)
      throw new Unreadable(
        `the ${place.field} of ${place.record} was sealed with another master key: check MASTER_KEY and MASTER_KEY_PREVIOUS`,
      );
    const bytes = Buffer.from(text, 'base64url');
    // The decoder skips what it cannot read.
    if (sealed !== sealedPrefix(key.id) + bytes.toString('base64url'))
      throw new Unreadable(`the ${place.field} of ${place.record} was changed`);
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    try {
      const decipher = createDecipheriv('aes-256-gcm', key.of(place.orgId), nonce, {
        authTagLength: TAG_BYTES,
      })
        .setAAD(boundTo(place))
        .setAuthTag(tag);
      const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
      return Buffer.concat(opened).toString('utf8');
    } catch (cause) {
      throw new Unreadable(`the ${place.field} of ${place.record} was changed`, { cause });
    }
  }

  /** Like {@link open}, but returns null for a text that cannot be opened. */
  openOrNull(place: SealedPlace, sealed: string): string | null {
    try {
      return this.open(place, sealed);
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }
}

const boundTo = ({ orgId, record, field }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([orgId, record, field]));
