import { Worker } from 'node:worker_threads'

/** A file as browsers get it. */
export interface WebFile {
  readonly mediaType: string
  readonly bytes: Uint8Array
  readonly gzip: Uint8Array
}

/** The files of the page, all under one address that changes with any of them. */
export interface WebFiles {
  /** Of all files, in base64url. */
  readonly digest: string
  /** By name. */
  readonly files: ReadonlyMap<string, WebFile>
  /** The page itself, with and without the offer of single sign-on. */
  readonly page: string
  readonly pageWithSingleSignOn: string
}

/** Stripping types and compressing take longer than the main thread may be held. */
const build = (): Promise<WebFiles> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./web-files-worker.ts', import.meta.url), { execArgv: ['--no-warnings'] })
    worker.unref()
    worker.on('message', resolve)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('the worker thread of the page has ended')))
  })

let built: Promise<WebFiles> | undefined

/** The files of the page. The first call builds them; a failure is forgotten. */
export const readWebFiles = (): Promise<WebFiles> => {
  built ??= build().catch((error: unknown) => {
    built = undefined
    throw error
  })
  return built
}
