import type { Day } from '../../../domain/shared/calendar.ts';
import type { Statements } from '../../engine/session.ts';

/** A file, as it was opened, and the UTC day on which it was written. */
export interface WrittenFile {
  file: string;
  writtenOn: Day;
}

/** Stores when files were written in the reader's temporary table `written_files`, which replaces the one before. */
export async function noteWrittenFiles(reader: Statements, files: readonly WrittenFile[]): Promise<void> {
  await reader.run(
    `CREATE OR REPLACE TEMP TABLE written_files AS
     SELECT unnest($files::VARCHAR[]) AS last_file, CAST(unnest($days::VARCHAR[]) AS DATE) AS written_on`,
    { files: files.map(({ file }) => file), days: files.map(({ writtenOn }) => writtenOn) },
  );
}

/** Forgets the times of files that would be older than all of their rows, because such a time means nothing. */
export async function forgetImpossibleTimes(reader: Statements): Promise<void> {
  await reader.run(
    `DELETE FROM temp.main.written_files WHERE last_file IN (
       SELECT last_file FROM checked_groups JOIN temp.main.written_files USING (last_file)
       WHERE problem IS NULL GROUP BY last_file, written_on HAVING min(day) > written_on)`,
  );
}

/** Whether a row's file was written after the row's day had ended, after a LEFT JOIN of `written_files` by `last_file`. */
export const IS_WHOLE = 'COALESCE(day < written_on, true)';
