import { answerCalls } from '../../../concurrency/answer-calls.ts'
import { chapterNames, groupsOf, INDEX, readChapter } from './chapters.ts'
import { renderPage, renderProblemPages } from './page.ts'
import { type PagesThread, SEARCH_INDEX } from './pages.ts'
import { sectionsOf } from './search-index.ts'

/** What chapters have in place of it: only a running service knows what it hands out. */
const CLIENT_SHA256 = 'SHA256-OF-THE-CLIENT'

/** Renders every page of the guide and those about errors: see pages.ts. */

answerCalls({
  render: async (files, clientSha256) => {
    const read = async (name: string) => {
      const chapter = await readChapter(name)
      return { ...chapter, markdown: chapter.markdown.replaceAll(CLIENT_SHA256, clientSha256) }
    }
    const chapters = await Promise.all([INDEX, ...chapterNames()].map(read))
    const [index] = chapters
    const groups = index === undefined ? [] : groupsOf(index, chapters)
    const pages = chapters.map((chapter) => [chapter.name, renderPage(chapter, groups, files)] as const)
    const errors = chapters.find(({ name }) => name === 'errors')?.markdown ?? ''
    const search = [SEARCH_INDEX, JSON.stringify({ sections: sectionsOf(chapters) })] as const
    return new Map([...pages, search, ...renderProblemPages(errors, files)])
  },
} satisfies PagesThread)
