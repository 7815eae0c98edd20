import type { DatabaseSync } from 'node:sqlite'
import { BULK_LOAD_PRAGMAS } from './schema.ts'

/** The shape of a file that nobody may use, because a power cut would leave it damaged. */
export const UNFINISHED = 'unfinished'

/** How a file takes a great many rows. */
export interface BulkLoad {
  /**
   * Its journal (WAL) is checkpointed less often. Where all its rows are on their way it waits for no syncs either, and is
   * unfinished until `finish`: broken off before, it is made anew.
   */
  readonly beginBulkLoad: (isAnew: boolean) => void
  /** Waits until everything is on the disk, and only then lets the file be used. Nothing, where it was finished before. */
  readonly finishBulkLoad: () => void
}

export const makeBulkLoad = (db: DatabaseSync, shape: string): BulkLoad => {
  const setShape = db.prepare('UPDATE progress SET shape = ?')
  const isFinished = (): boolean => db.prepare('SELECT shape FROM progress').get()?.shape !== UNFINISHED
  // It syncs the journal, and then the file with what has been put into it before. The journal is cut off: whoever has the
  // file open beside keeps one that has grown long, and would never use most of it.
  const checkpoint = (): void => {
    if (db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy !== 0) throw new Error('somebody reads the file')
  }
  return {
    beginBulkLoad: (isAnew) => {
      db.exec(BULK_LOAD_PRAGMAS)
      if (!isAnew) return
      setShape.run(UNFINISHED)
      checkpoint()
      db.exec('PRAGMA synchronous = OFF')
    },
    finishBulkLoad: () => {
      db.exec('PRAGMA synchronous = NORMAL')
      checkpoint()
      if (!isFinished()) {
        setShape.run(shape)
        checkpoint()
      }
      // Who writes first to a journal that was cut off waits for the disk.
      db.exec('PRAGMA user_version = 0')
    },
  }
}
