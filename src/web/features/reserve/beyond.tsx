import type { VNode } from 'preact'
import { meOf, usePage } from '../../page/context.ts'
import { Button, type ButtonProps } from '../../parts/button.tsx'
import { Note, RequestDetails } from '../../parts/show/note.tsx'
import type { Refused } from '../../service/api.ts'

interface Props extends Pick<ButtonProps, 'look'> {
  readonly refused: Refused
  readonly onPress: () => void
}

/** What administrators may do about a quota. */
export const Beyond = ({ refused, look, onPress }: Props): VNode | undefined =>
  refused.problem.code === 'quota_exceeded' && meOf(usePage()).role === 'administrator' ? (
    <Button label="Reserve beyond the quota" look={look} onClick={onPress} />
  ) : undefined

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
