// TEMPORARY
export interface CalendarSettings {
  cutOffs: "always" | string[];
}
export interface Calendar {
  lastCutOff(now: number): number;
  nextCutOff(now: number): number;
  settlementDay(cutOff: number): string;
  startOfDayAfter(day: string, bankingDays: number): number;
}
export function bankCalendar(_settings: CalendarSettings): Calendar {
  return {
    lastCutOff: (now) => now,
    nextCutOff: (now) => now + 1,
    settlementDay: (cutOff) => new Date(cutOff).toISOString().slice(0, 10),
    startOfDayAfter: (day, days) => Date.parse(day) + days * 86_400_000,
  };
}
