import { once } from '../../../concurrency/once.ts'
import { openThread } from '../../../concurrency/thread.ts'
import type { Compressed } from '../../protocol/coding.ts'

/** A file as browsers get it. */
export interface WebFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly compressed: Compressed
}

/** The files of the page and the client. Those of the page are under one address that changes with any of them. */
export interface WebFiles {
  /** Of all files, in base64url. */
  readonly digest: string
  /** By name. */
  readonly files: ReadonlyMap<string, WebFile>
  /** The page itself, with and without the offer of single sign-on. */
  readonly page: string
  readonly pageWithSingleSignOn: string
  /** The client for computers without Berth, as one file. */
  readonly client: string
}

export interface WebFilesThread {
  readonly build: () => WebFiles
}

/**
 * The files of the page, built at the first call. Stripping types and compressing take longer than the main thread may
 * be held.
 */
export const readWebFiles = once(() => {
  const thread = openThread<WebFilesThread>({
    module: new URL('./web-files-worker.ts', import.meta.url),
    start: { execArgv: ['--no-warnings'] },
    callsMax: 1,
  })
  return thread.call('build', []).finally(thread.close)
})
