/* Nothing asks for this member; were it linked, a symbol that nothing defines would be missed. */
extern int archive_nowhere(int value);

int archive_unused(int value) { return archive_nowhere(value); }
