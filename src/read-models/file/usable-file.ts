import type { Projection } from '../../../projections/projection.ts'
import type { EventStore } from '../../event-store/event-store.ts'
import { logContinues } from './progress.ts'
import { dropViews, isDamage, openViewsFile, type ViewsFile } from './views-file.ts'

export interface UsableFileOptions {
  readonly path: string
  readonly store: EventStore
  readonly projections: readonly Projection[]
  /**
   * Whether to rebuild views of another log. Not for a shared log: an operator must look into it. Those of the log that
   * it is a copy of are rebuilt in any case.
   */
  readonly mayRebuild?: boolean
  /** Called on a failure that no retry fixes, such as an event that cannot be decoded. */
  readonly onFatal: (error: unknown) => void
}

const isUsable = async (file: ViewsFile, { store, mayRebuild = true }: UsableFileOptions): Promise<boolean> => {
  try {
    const progress = file.progress()
    if (progress === undefined) return true
    return mayRebuild ? await logContinues(store, progress) : progress.logId !== store.copyOf
  } catch (error) {
    if (isDamage(error)) return false
    throw error
  }
}

/** Calls `onDamage` when SQLite finds damage during use. */
const withDamageDetection = (file: ViewsFile, onDamage: (error: unknown) => void): ViewsFile => {
  const watching =
    <P extends unknown[], A>(use: (...args: P) => A) =>
    (...args: P): A => {
      try {
        return use(...args)
      } catch (error) {
        if (isDamage(error)) onDamage(error)
        throw error
      }
    }
  const watchingAll = <F extends object>(functions: F): F =>
    Object.fromEntries(
      Object.entries(functions).map(([name, use]) => [
        name,
        typeof use === 'function' ? watching(use) : watchingAll(use),
      ]),
    ) as F
  const { progress, newest, asOf, snapshot, stage, commit, lists, log } = file
  return { ...file, ...watchingAll({ progress, newest, asOf, snapshot, stage, commit, lists, log }) }
}

interface UsableFile {
  readonly file: ViewsFile
  /** Must be called with SQLite errors of this file that occur elsewhere. */
  readonly onError: (error: unknown) => void
}

/**
 * Opens the views, and rebuilds them if the log does not continue them. Damage found later removes the file and ends
 * the service, so that the next start rebuilds it.
 */
export const openOrRebuildViews = async (options: UsableFileOptions): Promise<UsableFile> => {
  const { path, projections, onFatal } = options
  const onDamage = (error: unknown): void => {
    dropViews(path)
    onFatal(new Error(`${path} is damaged; the next start rebuilds it from the log`, { cause: error }))
  }
  const onError = (error: unknown): void => {
    if (isDamage(error)) onDamage(error)
  }
  const opening = { checkpointsInThread: true }
  const file = openViewsFile(path, projections, opening)
  if (await isUsable(file, options)) return { file: withDamageDetection(file, onDamage), onError }
  file.close()
  dropViews(path)
  return { file: withDamageDetection(openViewsFile(path, projections, opening), onDamage), onError }
}
