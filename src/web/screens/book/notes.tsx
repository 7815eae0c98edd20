import type { VNode } from 'preact'
import type { Sut } from '../../data/objects.ts'
import { Beyond } from '../../features/reserve/beyond.tsx'
import { Name } from '../../parts/show/name.tsx'
import { Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'

/** What is said of what would be taken. */

export const Gone = ({ name, isRefused }: { readonly name: string; readonly isRefused: boolean }): VNode => (
  <Note kind="warn">
    <Name of={name} /> is no longer free.{isRefused && ' Nothing was booked.'}
  </Note>
)

/** Why no machine can be had, of `count` that one may take. */
export const noneText = (fitting: readonly Sut[], count: number): string => {
  if (count === 0) return "This person's scope has no machines."
  if (fitting.length === 0) return 'No machines match. Remove a criterion.'
  const inactive = fitting.filter(({ is_active }) => !is_active).length
  const offline = fitting.filter(({ is_active, monitoring }) => is_active && monitoring.status === 'Offline').length
  const out = [inactive > 0 ? `${inactive} inactive` : '', offline > 0 ? `${offline} offline` : '']
  const text = out.filter((part) => part !== '').join(', ')
  if (inactive + offline === fitting.length) return `None can be reserved: ${text}.`
  return `None is free for that long in the next 31 days${text === '' ? '' : ` (${text})`}.`
}

/** Why it was not booked. That another was faster is said with what is named instead. */
export const RefusalNote = ({
  refused,
  text,
  onBeyond,
}: {
  readonly refused: Refused
  readonly text: string
  readonly onBeyond: () => void
}): VNode => (
  <Note kind="danger">
    <div class="stack">
      <span>{text}</span>
      <div>
        <Beyond refused={refused} look="small" onPress={onBeyond} />
      </div>
      <RequestDetails refused={refused} />
    </div>
  </Note>
)
