import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { ofUser } from '../../data/query.ts'
import { SessionSection } from '../../features/people/session-section.tsx'
import { TokenSection } from '../../features/people/token-section.tsx'
import type { Used, User } from '../../features/people/user.ts'
import { meOf, usePage, useReading } from '../../page/context.ts'
import { Loaded } from '../../page/loaded.tsx'
import { goTo, linkTo } from '../../page/location.ts'
import { Button, IconButton } from '../../parts/button.tsx'
import { initialsOf } from '../../parts/initials.ts'
import { StateBlock } from '../../parts/state.tsx'
import type { Answer } from '../../service/api.ts'
import { Removal, Removed } from './leaving.tsx'
import { PasswordDialog } from './password-dialog.tsx'
import { PersonForm } from './person-form.tsx'

interface Props {
  readonly id: string
  /** Undefined until the list was read. */
  readonly used: Used | undefined
  readonly onChanged: () => void
}

const close = (): void => {
  goTo('people')
}

export const Drawer = ({ id, used, onChanged }: Props) => {
  const page = usePage()
  const isAnswered = page.control.isAnswered.value
  const reading = useReading({
    ...{ key: `person ${id}`, ...ofUser(id) },
    read: async (source) => (await source.get(`/api/user/${encodeURIComponent(id)}`)) as Answer<User>,
  })
  const [isPassword, setPassword] = useState(false)
  const title = useRef<HTMLHeadingElement>(null)
  const user = reading.value?.value
  // Also where the button that did it has gone.
  useLayoutEffect(() => title.current?.focus(), [user === undefined, user?.removed_at, user?.erased_at])
  const isMe = id === meOf(page)._id
  const changed = (): void => {
    reading.retry()
    onChanged()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !isPassword && !(event.target as HTMLElement).closest('dialog')) close()
  }
  const buttons = isMe ? (
    <Button icon="key" label="Your account" href={linkTo('account')} />
  ) : (
    <Button icon="key" label="New password" disabled={!isAnswered} onClick={() => setPassword(true)} />
  )
  const content = (newest: Answer<User>) => {
    const user = newest.value
    if (user.removed_at !== undefined) return <Removed user={user} onChanged={changed} />
    return (
      <>
        <PersonForm newest={newest} applied={used?.quota ?? null} onSaved={changed}>
          {buttons}
        </PersonForm>
        {!isMe && (
          <>
            <TokenSection userId={user._id} role={user.role} isPart />
            <SessionSection
              look="quiet small"
              question={`Sign ${user.name} out of every browser?`}
              action="Sign out"
              back="Back"
              isPart
              end={() => page.api.send(`/api/user/${encodeURIComponent(user._id)}/logout`)}
            />
            <Removal user={user} open={used?.reservations} onChanged={changed} />
          </>
        )}
        {isPassword && <PasswordDialog user={user} onClose={() => setPassword(false)} />}
      </>
    )
  }
  const name = user?.name ?? ''
  return (
    <aside class="drawer" aria-label={name === '' ? 'Person' : name} onKeyDown={onKeyDown}>
      <div class="row drawer-head">
        <span class={isMe ? 'avatar me' : 'avatar'} data-i={initialsOf(name)} aria-hidden="true" />
        <h2 class="grow clip" tabindex={-1} ref={title}>
          <bdi>{name}</bdi>
        </h2>
        <IconButton icon="x" label="Close (Esc)" look="quiet small" onClick={close} />
      </div>
      {reading.failed?.status === 404 && user === undefined ? (
        <StateBlock icon="user" title="This person does not exist" />
      ) : (
        <Loaded reading={reading} what="This person" skeleton={1}>
          {content}
        </Loaded>
      )}
    </aside>
  )
}
