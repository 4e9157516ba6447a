# Sourced by what says how long it took: duration SECONDS prints "6 min 12 s".

duration() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}
