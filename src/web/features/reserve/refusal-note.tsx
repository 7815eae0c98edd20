import { meOf, usePage } from '../../page/context.ts'
import { Button } from '../../parts/button.tsx'
import { Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'

interface Props {
  readonly refused: Refused
  readonly text: string
  /** Reserves it nevertheless, as administrators may beyond a quota. */
  readonly onBeyond: () => void
}

/** Why it was not booked. That another was faster is said with what is named instead. */
export const RefusalNote = ({ refused, text, onBeyond }: Props) => (
  <Note kind="danger">
    <div class="stack">
      <span>{text}</span>
      {refused.problem.code === 'quota_exceeded' && meOf(usePage()).role === 'administrator' && (
        <div>
          <Button label="Reserve beyond the quota" look="small" onClick={onBeyond} />
        </div>
      )}
      <RequestDetails refused={refused} />
    </div>
  </Note>
)
