import type { ComponentChildren, VNode } from 'preact'
import { RETRY_DELAY_MS } from '../data/reading.ts'
import { Button } from '../parts/button.tsx'
import { Status } from '../parts/show/note.tsx'
import { StateBlock } from '../parts/state.tsx'
import type { Reading } from './context.ts'

interface Props<A> {
  readonly reading: Pick<Reading<A>, 'value' | 'failed' | 'retry'>
  /** What is read, as a sentence begins: `The machines`. */
  readonly what: string
  /** What stands in its place until then: as many rows, or something of its own shape; a word unless given. */
  readonly skeleton?: number | VNode
  readonly class?: string
  readonly children: (value: A) => ComponentChildren
}

const Rows = ({ count }: { readonly count: number }) =>
  Array.from({ length: count }, (_, n) => (
    <div class="row sk-row" key={n}>
      <span class="sk sk-name" />
    </div>
  ))

export const Loaded = <A,>({ reading, what, skeleton, class: place = '', children }: Props<A>) => {
  const { value, failed, retry } = reading
  if (value !== undefined) return <>{children(value)}</>
  if (failed === undefined)
    return (
      <div class={place} aria-busy="true">
        <Status class={skeleton === undefined ? 'muted' : 'vh'}>Loading</Status>
        {typeof skeleton === 'number' ? <Rows count={skeleton} /> : skeleton}
      </div>
    )
  // What is wrong with a request is said in the names of the interface.
  const isOfPage = failed.status >= 400 && failed.status < 500
  return (
    <div class={place}>
      <StateBlock
        icon="warning"
        title={`${what} could not be loaded`}
        text={`${isOfPage ? '' : `${failed.message} `}Retrying in ${RETRY_DELAY_MS / 1_000} s.`}
        request={failed.problem.instance}
      >
        <Button icon="refresh" label="Try again" onClick={retry} />
        {isOfPage && (
          <details class="small muted">
            <summary>Details</summary>
            {failed.message}
          </details>
        )}
      </StateBlock>
    </div>
  )
}
