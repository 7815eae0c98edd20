/** A sentence of what Berth does, and the tests that show it: a list item of a page, with links to test files. */
export type Sentence = Readonly<{ text: string; tests: readonly Readonly<{ title: string; file: string }>[] }>

const LINK = /\[([^\]]+)\]\(([^)]+\.ts)\)/g

/** The sentences of a Markdown page: its list items, each with whatever links to `.ts` files it has. */
export const readSentences = (page: string): readonly Sentence[] =>
  page
    .split(/^- /m)
    .slice(1)
    .map(
      (item) =>
        item
          .split(/\n\s*\n|^#/m)[0]
          ?.replace(/\s+/g, ' ')
          .trim() ?? '',
    )
    .map((item) => ({
      text: item.replace(LINK, '').trim().replace(/\s+/g, ' '),
      tests: [...item.matchAll(LINK)].map(([, title = '', file = '']) => ({ title, file })),
    }))

/**
 * What is wrong with the links: a title counts as there when the file has it word by word, so that of generated
 * titles a page names the part that stands in the source.
 */
export const unshown = (sentences: readonly Sentence[], read: (file: string) => string): readonly string[] =>
  sentences.flatMap(({ text, tests }) => {
    if (tests.length === 0) return [`${text}: no test`]
    return tests.flatMap(({ title, file }) => {
      const source = readOr(file, read)
      if (source === undefined) return [`${text}: there is no ${file}`]
      return source.includes(title) ? [] : [`${text}: ${file} has no test "${title}"`]
    })
  })

const readOr = (file: string, read: (file: string) => string): string | undefined => {
  try {
    return read(file)
  } catch {
    return undefined
  }
}
