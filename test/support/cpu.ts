/**
 * The CPU time that this process has used, ms. For bounds of work: unlike the time of day, it does not depend on the other
 * work of the machine.
 */
export function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
