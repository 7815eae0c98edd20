import { answerCalls } from '../../../concurrency/answer-calls.ts'
import { chapterNames, groupsOf, INDEX, readChapter } from './chapters.ts'
import { renderPage } from './page.ts'
import { type PagesThread, SEARCH_INDEX } from './pages.ts'
import { renderProblemPages } from './problem-page.ts'
import { sectionsOf } from './search-index.ts'

/** Renders every page of the guide and those about errors: see pages.ts. */

answerCalls({
  render: async (files) => {
    const chapters = await Promise.all([INDEX, ...chapterNames()].map(readChapter))
    const [index] = chapters
    const groups = index === undefined ? [] : groupsOf(index, chapters)
    const pages = chapters.map((chapter) => [chapter.name, renderPage(chapter, groups, files)] as const)
    const errors = chapters.find(({ name }) => name === 'errors')?.markdown ?? ''
    const search = [SEARCH_INDEX, JSON.stringify({ sections: sectionsOf(chapters) })] as const
    return new Map([...pages, search, ...renderProblemPages(errors, files)])
  },
} satisfies PagesThread)
