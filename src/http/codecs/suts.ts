import { described, instant, oneOf, text } from '../../domain/codec/codec.ts'
import { dictionary } from '../../domain/codec/object-codec.ts'
import { SutType, tagName } from '../../domain/events/sut.ts'
import { MONITORED } from '../../domain/monitoring/status.ts'
import { asOfParameter } from './as-of.ts'
import { inOrder, ofPages, paging, span, wholeSpan, withPage } from './lists.ts'
import { apart, onlyTrue, type QueryOf, queryOf, wholeNumber, wordsOf, yesOrNo } from './query.ts'

/** Settings are known only as they are now. */
const settingsAreNow = apart(['include'], 'as_of')

export const sutQuery = queryOf(
  {
    include: described(
      wordsOf('settings'),
      'What to add: settings, which are what administrators set. Others see turnaround and release_unused_after alone. Not with as_of.',
    ),
    as_of: asOfParameter,
  },
  { rules: [settingsAreNow], make: ({ include, as_of }) => ({ withSettings: include !== undefined, as_of }) },
)
export type SutQuery = QueryOf<typeof sutQuery>

/** Parameters of every list of SUTs. */
export const sutFilters = {
  sut_type: described(SutType, 'Only SUTs of this type.'),
  is_active: described(yesOrNo, 'Only active SUTs, or only inactive ones.'),
  monitoring: described(
    oneOf(...MONITORED),
    'Only SUTs that probes found online or offline, have not probed yet, or that are not monitored.',
  ),
  name: described(text(1, 256), 'Only SUTs whose name contains this text, ignoring case.'),
  free_from: described(
    instant,
    'With free_to: only SUTs that are active and have no reservation in this span, widened to the grid.',
  ),
  free_to: described(instant, 'The end of that span (exclusive).'),
  'tag.': dictionary('tags', tagName, text(0, 256)),
}

const FREE = ['free_from', 'free_to'] as const
/** With `retired` nothing is free, and with `as_of` nothing is known of it. */
export const freeRules = [wholeSpan(...FREE), apart(['retired', 'as_of'], ...FREE)]

export const sutsQuery = queryOf(
  {
    ...paging,
    ...sutFilters,
    include: described(
      wordsOf('settings'),
      'What to add: settings, of which lists have what everybody sees. Not with as_of, and not in CSV.',
    ),
    as_of: asOfParameter,
    retired: described(onlyTrue, 'Only retired SUTs, which are in no other list.'),
  },
  {
    rules: [...ofPages, ...freeRules, settingsAreNow],
    make: ({ free_from: from, free_to: to, include, 'tag.': tags = {}, ...others }) => {
      const { pagedBy, ...page } = withPage(others)
      const withSettings = include !== undefined
      const paged = withSettings ? [...pagedBy, 'include'] : pagedBy
      return { ...page, pagedBy: paged, tags, free: from && to && { from, to }, withSettings }
    },
  },
)
export type SutsQuery = QueryOf<typeof sutsQuery>

/** Seconds: the default for the shortest free window. */
export const DURATION = 900

export const durationParameter = described(
  wholeNumber(1, Number.MAX_SAFE_INTEGER),
  'The shortest window to return, in seconds; 900 by default.',
)

export const availabilityQuery = queryOf(
  { ...span, duration: durationParameter },
  {
    rules: [inOrder('from', 'to')],
    make: ({ from, to, duration = DURATION }) => ({ from, to, duration }),
  },
)
export type AvailabilityQuery = QueryOf<typeof availabilityQuery>
