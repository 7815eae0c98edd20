import { answerCalls } from '../concurrency/answer-calls.ts'
import type { SiteThread } from './documents/site.ts'
import { buildPage } from './documents/web/build-page.ts'

/** Makes the page and all documents: see documents/site.ts. */

answerCalls({
  page: buildPage,
  documents: async (site) => {
    const [{ makeDocuments }, { declarations }] = await Promise.all([
      import('./documents/make-documents.ts'),
      import('./routes.ts'),
    ])
    return makeDocuments(declarations, site)
  },
} satisfies SiteThread)
