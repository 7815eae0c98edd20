import { formatMoment, formatNumber } from '../../format/format.ts'
import { linkTo } from '../../page/location.ts'
import { Icon } from '../../parts/icon.tsx'
import { Name } from '../../parts/show/note.tsx'
import type { Entry } from './entries.ts'
import type { Part } from './holes.ts'
import type { Sentence } from './sentence.ts'

const PartView = ({ part }: { readonly part: Part }) => {
  if (typeof part === 'string') return <bdi>{part}</bdi>
  if ('name' in part) return <Name of={part.name} />
  return part.id === undefined ? (
    <bdi>{part.machine}</bdi>
  ) : (
    <a href={linkTo('machines', part.id)}>
      <bdi>{part.machine}</bdi>
    </a>
  )
}

export interface Told {
  readonly entry: Entry
  readonly sentence: Sentence
}

export const Line = ({ entry, sentence, when }: Told & { readonly when: string }) => (
  <div class={sentence.isQuiet ? 'ev quiet' : 'ev'}>
    <time class="small muted" datetime={entry.time} title={formatMoment(Date.parse(entry.time))}>
      {when}
    </time>
    <Icon name={sentence.icon} />
    <span>
      {sentence.parts.map((part, n) => (
        <PartView key={n} part={part} />
      ))}
      {entry.reason !== undefined && (
        <>
          {' '}
          <q class="second">
            <bdi>{entry.reason}</bdi>
          </q>
        </>
      )}
    </span>
    <span class="mono muted desk-only">{formatNumber(Number(entry.sequence))}</span>
  </div>
)
