import type { DatabaseSync } from 'node:sqlite'
import { BULK_LOAD_PRAGMAS } from './schema.ts'

/** The shape of an unfinished file. It must not be used: a power cut would leave it damaged. */
export const UNFINISHED = 'unfinished'

export type BulkLoad = ReturnType<typeof makeBulkLoad>

/** Writes a great many rows with fewer checkpoints and syncs. */
export const makeBulkLoad = (db: DatabaseSync, shape: string) => {
  const setShape = db.prepare('UPDATE progress SET shape = ?')
  const isFinished = (): boolean => db.prepare('SELECT shape FROM progress').get()?.shape !== UNFINISHED
  // Syncs the WAL, then the file with what was checkpointed before. The WAL is truncated: other open connections would
  // keep a long one and never use most of it.
  const checkpoint = (): void => {
    if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy !== 0) throw new Error('the file is being read')
  }
  return {
    /**
     * Checkpoints the WAL less often. For a rebuild it also stops syncing, and marks the file unfinished until
     * `finishBulkLoad`; after an interruption the file is rebuilt.
     */
    beginBulkLoad: (isRebuild: boolean): void => {
      db.exec(BULK_LOAD_PRAGMAS)
      if (!isRebuild) return
      setShape.run(UNFINISHED)
      checkpoint()
      db.exec('PRAGMA synchronous = OFF')
    },
    /** Waits until everything is durable, then allows use of the file. Does nothing if the file was finished before. */
    finishBulkLoad: (): void => {
      db.exec('PRAGMA synchronous = NORMAL')
      checkpoint()
      if (!isFinished()) {
        setShape.run(shape)
        checkpoint()
      }
      // Take the wait for the first write to a truncated WAL here.
      db.exec('PRAGMA user_version = 0')
    },
  }
}
