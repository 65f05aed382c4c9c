/* Names in narrow columns; what is expected was counted by hand. */
#include "base/name_text.h"
#include "base/text.h"
#include "harness/test.h"

static void fits(const char *name, int width, const char *expected)
{
	OWNED_STR s = STR_INIT;

	str_add(&s, name);
	name_text_fit(&s, width, "~");
	assert_string_equal(s.text, expected);
}

TEST(names_that_begin_alike_stay_different)
{
	fits("LAMMPS_NS::CommBrick::borders", 29, "LAMMPS_NS::CommBrick::borders");
	fits("LAMMPS_NS::CommBrick::borders", 28, "~CommBrick::borders");
	fits("LAMMPS_NS::CommBrick::borders", 14, "~borders");
	fits("LAMMPS_NS::CommBrick::reverse_comm", 14, "~reverse_comm");
	fits("LAMMPS_NS::CommBrick::forward_comm", 14, "~forward_comm");
	fits("do_redist_pos_coeffs", 14, "do_redi~coeffs");
	fits("do_redist_pos_indices", 14, "do_redi~ndices");
	/* Of the last part, where that alone is too long. */
	fits("a::do_redist_pos_coeffs", 14, "do_redi~coeffs");
}

TEST(titles_keep_their_ends)
{
	OWNED_STR s = STR_INIT;

	str_add(&s, "wait states (propagating vs. terminal)");
	name_text_fit_title(&s, 38, "~");
	assert_string_equal(s.text, "wait states (propagating vs. terminal)");
	name_text_fit_title(&s, 20, "~");
	assert_string_equal(s.text, "wait states (p~inal)");
}

TEST(qualifiers_in_brackets_are_no_parts)
{
	fits("sort<std::less<a::b> >::run", 11, "~run");
	fits("(anonymous namespace)::f(a::b)", 12, "~f(~)");
	fits("x::operator<(y::z)", 17, "x::operator<(~)");
	assert_int_equal(name_text_last("a::b<c::d>::e"), 12);
	assert_int_equal(name_text_last("plain"), 0);
	assert_int_equal(name_text_bare("light_kernel(float*, float const*)"), 12);
	assert_int_equal(name_text_bare("a<b(c)>::d(int)"), 10);
	assert_int_equal(name_text_bare("operator()(int)"), 10);
	assert_int_equal(name_text_bare("main()"), 6);
	assert_int_equal(name_text_bare("MPI_Send"), 8);
	assert_int_equal(name_text_last("odd::"), 0);
}

/* Arguments of functions go first, then those of templates, the last ones first. */
TEST(arguments_go_first)
{
	fits("Mesh::relax(double, int)", 15, "Mesh::relax(~)");
	fits("Mesh::relax(double, int)", 13, "~relax(~)");
	fits("Mesh::relax()", 12, "~relax()");
	fits("sort<std::less<a::b> >::run", 12, "sort<~>::run");
	fits("sort<std::less<a::b> >", 12, "sort<~>");
	fits("a<b, c>::f(d, e) const", 20, "a<b, c>::f(~) const");
	fits("a<b, c>::f(d, e) const", 18, "a<~>::f(~) const");
	fits("v::operator()(int, int)", 21, "v::operator()(~)");
	fits("odd((((name::of_nothing", 12, "odd(((~thing");
	/* Wide characters take two columns: "f(" + "~" + ")" are 4 of 9. */
	fits("f(\u6f22, \u5b57)", 7, "f(~)");
}

TEST(a_call_path_keeps_its_end)
{
	fits("main > relax > MPI_Waitall", 20, "~relax > MPI_Waitall");
	fits("main > relax > MPI_Waitall", 19, "~MPI_Waitall");
}

TEST(a_note_goes_first)
{
	fits("tview_setup  overhead", 21, "tview_setup  overhead");
	fits("tview_setup  overhead", 14, "tview_setup  overhead"); /* the canvas cuts it */
	fits("tview_offsets  overhead", 14, "tview_offsets");
	fits("LAMMPS_NS::CommBrick::borders  limited", 14, "~borders");
}

TEST(where_there_is_no_room_nothing_is_done)
{
	fits("MPI_Waitall", 5, "MPI_Waitall");
	fits("", 0, "");
	/* Two columns a character. */
	fits("\u6f22\u5b57\u6f22\u5b57\u6f22", 7, "\u6f22~\u6f22");
}
