import { CopyButton } from '../copy.tsx'

/** Where a calendar is. Programs for calendars open the link, and ask for a name and a password. */
export const Subscribe = ({ path }: { readonly path: string }) => (
  <span class="row">
    <a href={`webcal://${window.location.host}${path}`}>Subscribe</a>
    <CopyButton text={`${window.location.origin}${path}`} label="Copy the address of the calendar" />
    <a class="small" href="/guide/calendars#subscribe" target="_blank" rel="noreferrer">
      How
    </a>
  </span>
)
