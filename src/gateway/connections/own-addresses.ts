import { networkInterfaces } from 'node:os'
import { plainAddress } from './plain-address.ts'

/** These reach this machine whatever its interfaces are: the kernel connects an unspecified address to loopback. */
const isLoopback = (address: string): boolean => /^(?:127|0)\.|^::1?$/.test(address)

/** Whether an address and port belong to Berth itself. */
export const isOwnAddress = (address: string, port: number, isOwnPort: (port: number) => boolean): boolean => {
  if (!isOwnPort(port)) return false
  const plain = plainAddress(address)
  // Read each time: interfaces come and go. Few targets share a port with Berth.
  const interfaces = Object.values(networkInterfaces()).flatMap((each = []) => each)
  return isLoopback(plain) || interfaces.some((one) => plainAddress(one.address) === plain)
}
