import { EVENT_TYPES, factsOf } from '../../src/domain/event.ts'

const HEAD = '|type|recorded when|data, apart from ids|\n|---|---|---|\n'

/** A chapter whose table of events is as their declarations have it. */
export const withEventsTable = (chapter: string): string => {
  const begin = chapter.indexOf(HEAD) + HEAD.length
  const rows = EVENT_TYPES.map((type) => `|\`${type}\`|${factsOf(type).guide.split(' | ').join('|')}|`)
  return `${chapter.slice(0, begin)}${rows.join('\n')}${chapter.slice(chapter.indexOf('\n\n', begin))}`
}
