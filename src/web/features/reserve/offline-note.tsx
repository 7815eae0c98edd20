import type { Sut } from '../../data/objects.ts'
import { formatWhen } from '../../format/format.ts'
import { Note } from '../../parts/show/note.tsx'

/** Warns who is about to reserve a machine that is offline. */
export const OfflineNote = ({ sut, now }: { readonly sut: Sut; readonly now: number }) =>
  sut.monitoring.status === 'Offline' ? (
    <Note kind="warn">
      Offline since {formatWhen(Date.parse(sut.monitoring.last_updated), now)}. It may not answer.
    </Note>
  ) : undefined
