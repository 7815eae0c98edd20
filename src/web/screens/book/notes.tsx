import type { Sut } from '../../data/objects.ts'
import { Name, Note } from '../../parts/show/note.tsx'

/** What is said of what would be taken. */

export const Gone = ({ name, isRefused }: { readonly name: string; readonly isRefused: boolean }) => (
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
