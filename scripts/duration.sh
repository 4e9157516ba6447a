# Sourced by scripts that print how long they took. duration SECONDS prints a text such as "6 min 12 s".

duration() {
  if [ "$1" -lt 60 ]; then printf '%d s' "$1"; else printf '%d min %d s' $(($1 / 60)) $(($1 % 60)); fi
}
