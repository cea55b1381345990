"""Keep the processes of a bot from reaching others, and from outliving their supervisor."""
