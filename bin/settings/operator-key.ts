import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { secretFile } from './secret-file.ts';

/** Where the operator key lies when `OPERATOR_KEY` does not give one. */
export const operatorKeyFile = (dataDir: string): string => join(dataDir, 'operator.key');

/** The operator key: as given, else from its file, which is made at the first start, readable by its owner only. */
export const operatorKey = async (given: string | null, dataDir: string): Promise<string> =>
  given ?? secretFile(operatorKeyFile(dataDir), () => randomBytes(32).toString('base64url'));
