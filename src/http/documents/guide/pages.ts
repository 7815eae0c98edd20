import { hash } from 'node:crypto'
import { once } from '../../../concurrency/once.ts'
import { openThread } from '../../../concurrency/thread.ts'
import { readWebFiles } from '../web/web-files.ts'

export interface PagesThread {
  /**
   * @param files the address of the page's files
   * @param clientSha256 of the client that this service hands out
   */
  readonly render: (files: string, clientSha256: string) => Promise<ReadonlyMap<string, string>>
}

/** The name of what the search reads. */
export const SEARCH_INDEX = 'search.json'

/** The name of the page about an error code. */
export const problemPageName = (code: string): string => `problems/${code}`

/**
 * Renders the guide in a worker thread. On the main thread V8 would compile the regular expressions of Markdown for up
 * to 50 ms, one of them for 40 ms, which no splitting of the text shortens.
 */
const readPages = once(async () => {
  const { digest, client } = await readWebFiles()
  const thread = openThread<PagesThread>({ module: new URL('./pages-worker.ts', import.meta.url), callsMax: 1 })
  return thread.call('render', [`/web/${digest}/`, hash('sha256', client)]).finally(thread.close)
})

/** A page of the guide by its name. The first call renders all of them. */
export const readGuidePage = async (name: string): Promise<string> => {
  const page = (await readPages()).get(name)
  if (page === undefined) throw new Error(`the guide has no page ${name}`)
  return page
}
