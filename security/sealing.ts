import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

/** The place that a sealed text belongs to. The text can be opened only for this place (design §5). */
export interface SealedPlace {
  orgId: string;
  /** The id of its record, unique within the organisation. */
  record: string;
  field: string;
}

/** Bytes of a master key. */
export const MASTER_KEY_BYTES = 32;

const VERSION = 'v1';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Seals texts for storage with AES-256-GCM, and binds each to its place. HKDF derives the key of each organisation from the
 * master key. A sealed text is `v1.<id of the master key>.<base64url of nonce, tag, ciphertext>`.
 */
export class Sealer {
  readonly #masterKey: Buffer;
  readonly #keyId: string;

  /** @param masterKey 32 random bytes. */
  constructor(masterKey: Buffer) {
    if (masterKey.length !== MASTER_KEY_BYTES) throw new Error('the master key must have 32 bytes');
    this.#masterKey = masterKey;
    this.#keyId = createHash('sha256').update(masterKey).digest('hex').slice(0, 8);
  }

  seal(place: SealedPlace, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#keyOf(place.orgId), nonce).setAAD(boundTo(place));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [
      VERSION,
      this.#keyId,
      Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64url'),
    ].join('.');
  }

  /** Throws if the text was changed, or was sealed with another master key or for another place. */
  open(place: SealedPlace, sealed: string): string {
    const [version, keyId, text = ''] = sealed.split('.');
    if (version !== VERSION)
      throw new Error(`the ${place.field} of ${place.record} is not sealed as ${VERSION}`);
    if (keyId !== this.#keyId)
      throw new Error(
        `the ${place.field} of ${place.record} was sealed with another master key: check MASTER_KEY`,
      );
    const bytes = Buffer.from(text, 'base64url');
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.#keyOf(place.orgId), nonce, {
      authTagLength: TAG_BYTES,
    })
      .setAAD(boundTo(place))
      .setAuthTag(tag);
    const opened = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()];
    return Buffer.concat(opened).toString('utf8');
  }

  #keyOf(orgId: string): Buffer {
    return Buffer.from(hkdfSync('sha256', this.#masterKey, '', `cost-analytics sealing ${orgId}`, 32));
  }
}

const boundTo = ({ orgId, record, field }: SealedPlace): Buffer =>
  Buffer.from(JSON.stringify([orgId, record, field]));
